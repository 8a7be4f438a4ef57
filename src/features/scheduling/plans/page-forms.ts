import * as v from 'valibot'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toE164 } from '../../../domain/phone.ts'
import { Multiline, Name, SingleLine } from '../../../schemas/fields.ts'
import type { Fault, Typed } from '../../pages/rules/form-fields.ts'
import { MOST_ANSWER } from '../rules/limits.ts'
import { questionField } from '../rules/pages/form-page.ts'
import type { Texts } from '../rules/pages/texts.ts'
import { type BookerAnswer, type Question, readAnswers } from '../rules/questions.ts'

/** What a visitor has typed, as far as it is valid without the event type. `typed` is all of it. */
export type VisitorForm = {
  typed: Typed
  /** What a form that is sent again is recognised by. */
  token: string | undefined
  name: string
  notes: string | null
  addresses: { email: string | null; phone: string | null }
  /** The addresses of guests, as they were typed. */
  guests: string[]
}

const isValid = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).success
const Notes = Multiline(5_000)

export function readVisitorForm(typed: Typed): VisitorForm {
  const [name = '', notes = '', email = '', phone = ''] = [typed.name, typed.notes, typed.email, typed.phone].map((text) => text?.trim())
  return {
    typed,
    token: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(typed.token ?? '') ? typed.token : undefined,
    name,
    notes: notes === '' ? null : notes,
    addresses: { email: toEmailAddress(email) ?? null, phone: toE164(phone) ?? null },
    guests: (typed.guests ?? '').split(/[\s,;]+/).filter((address) => address !== ''),
  }
}

/** The fields of a form that are wrong, and the status with which it is shown again. */
export class FormRefused extends Error {
  readonly faults: Fault[]
  readonly status: number
  constructor(faults: Fault[], status = 422) {
    super('The form has faults')
    this.faults = faults
    this.status = status
  }
}

/** What is wrong with a form, in the order of its fields, and the answers to the questions. */
export function checkVisitorForm(
  { typed, name, notes, addresses, guests }: VisitorForm,
  { questions, needsEmail, most_guests = 0 }: { questions: Question[]; needsEmail: boolean; most_guests?: number },
  texts: Texts,
): { faults: Fault[]; answers: BookerAnswer[]; attendees: string[] } {
  const faults: Fault[] = []
  const refuse = (field: string, message: string) => faults.push({ field, message })
  const isTyped = (field: string) => (typed[field] ?? '').trim() !== ''
  if (!isValid(Name(200), name)) refuse('name', texts.need_name)
  if (needsEmail && !isTyped('email')) refuse('email', texts.need_email)
  else if (!isTyped('email') && !isTyped('phone')) refuse('email', texts.need_address)
  if (isTyped('email') && (addresses.email === null || !isValid(SingleLine(320), addresses.email))) refuse('email', texts.bad_email)
  if (isTyped('phone') && addresses.phone === null) refuse('phone', texts.bad_phone)
  const invited = [...new Set(guests.map((address) => toEmailAddress(address)))].filter((address) => address !== addresses.email)
  const unreadable = guests.find((address) => toEmailAddress(address) === undefined || !isValid(SingleLine(320), address))
  if (unreadable !== undefined) refuse('guests', texts.bad_guest(unreadable.slice(0, 100)))
  else if (invited.length > most_guests) refuse('guests', texts.many_guests(most_guests))
  const sent = questions.map(({ key }) => ({ key, text: typed[questionField(key)] ?? '', index: 0 }))
  const read = readAnswers(questions, sent)
  for (const { key, label, type } of questions) {
    const field = questionField(key)
    const isUnreadable = isTyped(field) && !isValid(Multiline(MOST_ANSWER), typed[field])
    const fault = read.faults.find((each) => each.key === key)
    if (fault?.index === null) refuse(field, texts.need_answer(label))
    else if (fault || isUnreadable) refuse(field, texts.bad_answer[type](label))
  }
  if (notes !== null && !isValid(Notes, notes)) refuse('notes', texts.bad_text(texts.notes, 5_000))
  // People do not see this field, and programs that fill in forms do.
  if (isTyped('website')) refuse('website', texts.leave_empty)
  return { faults, answers: read.answers, attendees: invited.filter((address) => address !== undefined) }
}

/** Why a booking is cancelled; null without a reason that can be stored. */
export function reasonOf({ reason }: Typed): string | null {
  const text = (reason ?? '').trim()
  return text !== '' && isValid(SingleLine(500), text) ? text : null
}
