import * as v from 'valibot'
import { Bool, Enum, Id, Integer, Money, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { mergeFaults } from '../rules/merge-fields.ts'
import { type SectionType, SIGNER_INPUTS } from '../rules/section-types.ts'

/** Text with merge fields, which must be known. */
const merged = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (dataset.typed) for (const message of mergeFaults(dataset.value)) addIssue({ message })
    }),
  )
const filled = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(
    schema,
    v.check((value) => value.trim() !== '', 'must not be empty'),
  )
const line = v.optional(merged(SingleLine(300)))
const Line = filled(merged(SingleLine(300)))
const text = v.optional(merged(Multiline(20_000)))
const Text = filled(merged(Multiline(20_000)))
const image = { image_file_id: v.optional(v.nullable(Id)) }
const heading = { heading: line }
const listOf = <S extends v.GenericSchema>(item: S, most: number) =>
  v.pipe(
    v.array(item, 'must be a list'),
    v.minLength(1, 'must have at least one item'),
    v.maxLength(most, `must have at most ${most} items`),
  )
const Role = filled(SingleLine(60))

const item = v.strictObject({ name: Line, description: text, quantity: v.optional(Integer(0, 1_000_000)), unit_price: v.optional(Money) })

/** The fields of each kind of section. */
export const SECTION_CONTENTS: Record<SectionType, v.StrictObjectSchema<v.ObjectEntries, undefined>> = {
  'cover-page': v.strictObject({ heading: Line, subheading: line, prepared_for: line, prepared_by: line, ...image }),
  'text-block': v.strictObject({ ...heading, text: Text }),
  'two-column': v.strictObject({ ...heading, left: Text, right: Text }),
  table: v.strictObject({ ...heading, columns: listOf(Line, 20), rows: listOf(listOf(merged(Multiline(2000)), 20), 200) }),
  'product-table': v.strictObject({ ...heading, items: listOf(item, 200), show_total: v.optional(Bool) }),
  'product-showcase': v.strictObject({ name: Line, description: text, price: v.optional(Money), ...image }),
  'image-block': v.strictObject({ image_file_id: Id, caption: line, alt: line }),
  'signature-block': v.strictObject({ signer_role: Role, label: line }),
  'signer-input': v.strictObject({
    signer_role: Role,
    label: Line,
    input_type: v.optional(Enum(SIGNER_INPUTS)),
    is_required: v.optional(Bool),
  }),
  divider: v.strictObject({ style: v.optional(Enum(['solid', 'dashed'])) }),
  'page-break': v.strictObject({}),
  'quote-callout': v.strictObject({ quote: Text, author: line }),
  'terms-conditions': v.strictObject({ ...heading, clauses: listOf(Text, 200) }),
  guarantee: v.strictObject({ heading: Line, text: Text, period: line }),
  'doc-header': v.strictObject({ text: Line, ...image }),
  'doc-footer': v.strictObject({ text: Line, show_page_numbers: v.optional(Bool) }),
  'dynamic-pricing': v.strictObject({ ...heading, text, show_tax: v.optional(Bool) }),
  'dynamic-products': v.strictObject({ ...heading, text, show_prices: v.optional(Bool) }),
  'dynamic-timeline': v.strictObject({
    ...heading,
    milestones: listOf(v.strictObject({ label: Line, days_after: Integer(0, 3650) }), 50),
  }),
  'dynamic-executive-summary': v.strictObject({ ...heading, text }),
  'dynamic-needs-solutions': v.strictObject({ ...heading, pairs: listOf(v.strictObject({ need: Text, solution: Text }), 50) }),
  'dynamic-recommendations': v.strictObject({ ...heading, recommendations: listOf(Text, 50) }),
  'dynamic-callout': v.strictObject({ callout: Text }),
  'dynamic-guarantee': v.strictObject({ heading: Line, text: Text, min_value: Money }),
  'rich-content': v.strictObject({ html: Text }),
  'product-brochure': v.strictObject({ name: Line, tagline: line, features: v.optional(listOf(Line, 50)), ...image }),
}
