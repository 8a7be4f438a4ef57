import * as v from 'valibot'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toE164 } from '../../../domain/phone.ts'
import { toCountryName } from '../../../domain/time-zones.ts'
import { Multiline, Name, SingleLine } from '../../../schemas/fields.ts'
import type { Fault, Typed } from '../../pages/rules/form-fields.ts'
import { priceText, quantityField, type ShownForm } from '../rules/pages/page.ts'
import type { OrderTexts } from '../rules/pages/texts.ts'
import { type Chosen, type Totals, totalsOf } from '../rules/totals.ts'
import type { Buyer, ContactField } from '../rules/types.ts'
import { MOST_CHARGED } from '../schemas/order-forms.ts'

const isValid = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).success
/** The lengths that contacts have for these fields. */
const LINES = { address_line1: 255, address_line2: 255, city: 120, state: 120, postal_code: 20, country: 80, phone: 40 } as const
const NOTES = 2_000

export type Placed = { buyer: Buyer; totals: Totals }

/** What a visitor has ordered, and what is wrong with the form, in the order of its fields. */
export function readOrder(form: ShownForm, typed: Typed, texts: OrderTexts): { faults: Fault[] } | { placed: Placed } {
  const faults: Fault[] = []
  const chosen = readQuantities(form, typed, texts, faults)
  const totals = totalsOf(chosen, form)
  if (faults.length === 0 && totals.total <= 0) faults.push({ field: quantityField(0), message: texts.nothing })
  if (faults.length === 0 && totals.total > MOST_CHARGED)
    faults.push({ field: quantityField(0), message: texts.too_much(priceText(texts, MOST_CHARGED, form.currency)) })
  const buyer = readBuyer(form, typed, texts, faults)
  // People do not see this field, and programs that fill in forms do.
  if ((typed.website ?? '').trim() !== '') faults.push({ field: 'website', message: texts.leave_empty })
  return faults.length > 0 ? { faults } : { placed: { buyer, totals } }
}

/** The items that are ordered. A quantity is a whole number within the bounds of its item. */
function readQuantities({ items }: ShownForm, typed: Typed, texts: OrderTexts, faults: Fault[]): Chosen[] {
  return items.flatMap((item, index) => {
    const text = (typed[quantityField(index)] ?? '').trim()
    const quantity = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
    if (!(quantity >= item.quantity_min && quantity <= item.quantity_max)) {
      faults.push({ field: quantityField(index), message: texts.bad_quantity(item.label, item.quantity_min, item.quantity_max) })
      return []
    }
    return quantity > 0 ? [{ item, quantity }] : []
  })
}

function readBuyer({ contact_fields }: ShownForm, typed: Typed, texts: OrderTexts, faults: Fault[]): Buyer {
  const name = (typed.name ?? '').trim()
  const email = toEmailAddress((typed.email ?? '').trim())
  if (!isValid(Name(200), name)) faults.push({ field: 'name', message: texts.need_name })
  if (email === undefined || !isValid(SingleLine(320), email)) faults.push({ field: 'email', message: texts.need_email })
  const buyer: Buyer = { name, email: email ?? '' }
  for (const { field, required } of contact_fields) {
    const read = readDetail(field, (typed[field] ?? '').trim(), required, texts)
    if ('fault' in read) faults.push({ field, message: read.fault })
    else if (read.value !== '') buyer[field] = read.value
  }
  return buyer
}

function readDetail(
  field: ContactField['field'],
  text: string,
  required: boolean,
  texts: OrderTexts,
): { value: string } | { fault: string } {
  const label = texts.details[field]
  if (text === '') return required ? { fault: texts.need_detail(label) } : { value: '' }
  if (!isValid(field === 'notes' ? Multiline(NOTES) : SingleLine(LINES[field]), text)) return { fault: texts.bad_detail(label) }
  if (field === 'phone') return parsed(toE164(text), texts.bad_phone)
  return field === 'country' ? parsed(toCountryName(text), texts.bad_country) : { value: text }
}

const parsed = (value: string | undefined, fault: string) => (value === undefined ? { fault } : { value })
