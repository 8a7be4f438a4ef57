import { escapeHtml } from '../../../../lib/html.ts'
import { pageDocument } from '../../../pages/rules/document.ts'
import { type Fault, faultSummary, fieldsOf, type Typed } from '../../../pages/rules/form-fields.ts'
import { hidden, href, paragraphs } from '../../../pages/rules/html.ts'
import type { Language } from '../../../pages/rules/languages.ts'
import type { ContactField, ContactFieldName, OrderItem } from '../types.ts'
import { ORDER_TEXTS, type OrderTexts } from './texts.ts'

export type OrderView = { path: string; language: Language; texts: OrderTexts; chosen: string | undefined }
/** `chosen`: the language that the address names, which further addresses keep. */
export const orderView = (path: string, language: Language, chosen?: string): OrderView => ({
  path,
  language,
  texts: ORDER_TEXTS[language],
  chosen: chosen === language ? chosen : undefined,
})

export type Workspace = { name: string; color: string | null }
/** A form as its page shows it. */
export type ShownForm = {
  id: string
  name: string
  description: string | null
  currency: string
  prices_include_tax: boolean
  items: OrderItem[]
  contact_fields: ContactField[]
  success_message: string | null
  redirect_url: string | null
}

/** The id of the field of an item, by its place in the form. */
export const quantityField = (index: number) => `quantity_${index}`

export const priceText = ({ locale }: OrderTexts, amount: number, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)

const documentOf = (view: OrderView, page: { title: string; workspace?: Workspace; body: string }) =>
  pageDocument(
    { path: view.path, language: view.language, kept: { lang: view.chosen }, languages: view.texts.language },
    { title: page.title, workspace: page.workspace?.name, color: page.workspace?.color, body: page.body },
  )

/** A page that says one thing. */
export const messagePage = (view: OrderView, title: string, text: string, workspace?: Workspace): string =>
  documentOf(view, { title, ...(workspace && { workspace }), body: paragraphs(text) })

/** The page after a payment: with a link to order again if it did not go through. */
export const thanksPage = (view: OrderView, workspace: Workspace, { text, again }: { text: string; again?: string }): string => {
  const link = again ? `<p><a href="${href(again, { lang: view.chosen })}">${escapeHtml(view.texts.order_again)}</a></p>` : ''
  return documentOf(view, { title: again ? view.texts.error : view.texts.thanks, workspace, body: `${paragraphs(text)}${link}` })
}

export type FormState = { token: string; typed: Typed; faults: Fault[]; note?: string }

/** The page on which a visitor chooses quantities and gives details. A form that is refused shows what was typed. */
export function orderPage(view: OrderView, workspace: Workspace, form: ShownForm, { token, typed, faults, note }: FormState): string {
  const { texts } = view
  const fields = fieldsOf(texts, { ...quantitiesOf(form), ...typed }, faults)
  const items = form.items.map((item, index) =>
    fields.line(
      { id: quantityField(index), label: item.label, required: true, hint: hintOf(texts, form, item) },
      `type="number" inputmode="numeric" min="${item.quantity_min}" max="${item.quantity_max}" step="1"`,
    ),
  )
  const body = `${faultSummary(texts, faults)}${note ? `<p class="note" role="status">${escapeHtml(note)}</p>` : ''}\
${paragraphs(form.description)}
<form method="post" action="${escapeHtml(view.path)}" novalidate>
${hidden({ token, lang: view.chosen })}
<h2>${escapeHtml(texts.products)}</h2>
${items.join('\n')}
<h2>${escapeHtml(texts.your_details)}</h2>
${fields.line({ id: 'name', label: texts.name, required: true }, 'autocomplete="name" maxlength="200"')}
${fields.line({ id: 'email', label: texts.email, required: true }, 'type="email" autocomplete="email" maxlength="320"')}
${form.contact_fields.map((field) => detailOf(texts, fields, field)).join('\n')}
<div class="trap" aria-hidden="true"><label for="website">${escapeHtml(texts.leave_empty)}</label>\
<input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<p>${escapeHtml(texts.total_next)}</p>
<button type="submit">${escapeHtml(texts.pay)}</button>
</form>`
  const title = faults.length > 0 ? `${texts.error}: ${form.name}` : form.name
  return documentOf(view, { title, workspace, body })
}

/** What the fields of quantities show at first: the only item once, otherwise the least. */
const quantitiesOf = ({ items }: ShownForm): Typed =>
  Object.fromEntries(
    items.map(({ quantity_min }, index) => [quantityField(index), String(items.length === 1 ? Math.max(quantity_min, 1) : quantity_min)]),
  )

function hintOf(texts: OrderTexts, { currency, prices_include_tax }: ShownForm, item: OrderItem): string {
  const { unit_price, tax_rate, quantity_min, quantity_max } = item
  const rate = new Intl.NumberFormat(texts.locale).format(tax_rate)
  const tax = tax_rate === 0 ? '' : `, ${prices_include_tax ? texts.with_tax(rate) : texts.plus_tax(rate)}`
  return `${texts.each(priceText(texts, unit_price, currency))}${tax}. ${texts.from_to(quantity_min, quantity_max)}`
}

/** How browsers fill in each detail. */
const AUTOCOMPLETE: Record<Exclude<ContactFieldName, 'notes'>, string> = {
  phone: 'tel',
  address_line1: 'address-line1',
  address_line2: 'address-line2',
  city: 'address-level2',
  state: 'address-level1',
  postal_code: 'postal-code',
  country: 'country-name',
}

function detailOf(texts: OrderTexts, fields: ReturnType<typeof fieldsOf>, { field, required }: ContactField): string {
  const known = { id: field, label: texts.details[field], required, ...(field === 'phone' && { hint: texts.phone_hint }) }
  if (field === 'notes') return fields.area(known, 2_000)
  return fields.line(known, `${field === 'phone' ? 'type="tel" ' : ''}autocomplete="${AUTOCOMPLETE[field]}" maxlength="200"`)
}
