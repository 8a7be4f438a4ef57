import { cutText } from '../../../lib/text.ts'
import { looksLikeId } from '../rules/names.ts'
import type { ImportObject } from '../rules/types.ts'
import { quoted } from './fit.ts'
import type { Fault, Line } from './lines.ts'

type Values = Record<string, unknown>
const LONGEST = 100

/**
 * The first name of a new contact without one: the last name, else the company's, the part of the email address before the @, or the phone
 * number. It is marked, so that a real one replaces it.
 */
export function withFirstName(object: ImportObject, { references }: Line, values: Values): { values: Values; warnings: Fault[] } {
  if (object !== 'contacts' || textOf(values.first_name) !== '') return { values, warnings: [] }
  const company = references.find(({ field, text }) => field === 'company' && !looksLikeId(text))?.text
  const [email] = [values.email, ...listOf(values.alternate_emails)].map(textOf).filter((address) => address.includes('@'))
  const phone = [values.phone, values.landline, ...listOf(values.alternate_phones)].map(textOf).find((number) => number !== '')
  const sources = [
    ['the last name', textOf(values.last_name)],
    ['the company', textOf(company)],
    ['the beginning of the email address', textOf(email?.slice(0, email.lastIndexOf('@')))],
    ['the phone number', textOf(phone)],
  ] as const
  const [what, text] = sources.find(([, text]) => text !== '') ?? []
  if (!text) return { values, warnings: [] }
  const first_name = cutText(text, LONGEST).trim()
  const message = `There is no first name: ${what} ${quoted(first_name)} stands for it until a later import or an edit brings one`
  return { values: { ...values, first_name, first_name_derived: true }, warnings: [{ field: 'first_name', message }] }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
const listOf = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [])
