import * as v from 'valibot'
import { MAX_SECTION_BYTES, MAX_SECTIONS } from '../../../domain/files.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, Ids, Integer, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { parse, text } from '../../../schemas/pipes.ts'
import { SECTION_TYPES, toSectionType } from '../rules/section-types.ts'

export const templateFilters = {
  document_type: v.optional(describe(SingleLine(60), 'Only templates of documents of this type.', 'proposal')),
}
export const TEMPLATE_SORTS = ['created_at', 'updated_at', 'name']

export const templateFields = {
  name: describe(Name(200), 'What the template is called.', 'Proposal'),
  description: optional(describe(Multiline(2000), 'What it is for.', 'For projects up to $20,000.')),
  document_type: optional(describe(SingleLine(60), 'The type of the documents that are made from it.', 'proposal')),
}
export const NewDocumentTemplate = v.strictObject(templateFields)
export const DocumentTemplatePatch = v.partial(NewDocumentTemplate)
export const DocumentTemplateCopy = v.strictObject({
  name: v.optional(describe(Name(200), 'The name of the copy; by default “Copy of” and the name of the template.', 'Proposal in autumn')),
})

export const SectionTypeIn = v.pipe(
  text(`a type of section, such as ${SECTION_TYPES[0]}`),
  parse('section type', toSectionType, `must be one of: ${SECTION_TYPES.join(', ')}`),
  v.description(`The type: ${SECTION_TYPES.join(', ')}. CoverPage and cover_page mean cover-page.`),
  v.examples(['text-block']),
)

const CONTENT =
  `The fields of the type, at most ${MAX_SECTION_BYTES / 1000} KB as JSON: the guide to documents lists them. ` +
  'Texts may have merge fields, such as {{contact.first_name | there}}.'
const content = v.pipe(
  v.record(v.string(), v.unknown(), 'must be an object'),
  v.check((value) => JSON.stringify(value).length <= MAX_SECTION_BYTES, `must be at most ${MAX_SECTION_BYTES / 1000} KB as JSON`),
  v.description(CONTENT),
  v.examples([{ heading: 'About you', text: 'Dear {{contact.first_name | customer}}' }]),
)
const position = v.optional(describe(Integer(0, MAX_SECTIONS), 'The place among the sections, from 0; by default the last.', 0))
const title = optional(describe(SingleLine(200), 'A name for editors, which readers do not see.', 'Introduction'))

export const NewSection = v.strictObject({ type: SectionTypeIn, title, content, position })
export type NewSection = v.InferOutput<typeof NewSection>
export const SectionPatch = v.strictObject({ title, content: v.optional(content) })
export type SectionPatch = v.InferOutput<typeof SectionPatch>
export const SectionOrder = v.strictObject({
  section_ids: describe(Ids(MAX_SECTIONS), 'The ids of all sections of the template, each once, in the new order.'),
})

const sectionFields = {
  id: Id,
  template_id: Id,
  type: v.pipe(v.picklist(SECTION_TYPES), v.examples(['text-block'])),
  title: v.nullable(v.string()),
  content_length: v.pipe(v.number(), v.integer(), v.description('The length of the content as JSON.')),
  content_sha256: v.pipe(v.string(), v.description('The SHA-256 digest of the content.')),
  file_id: v.pipe(v.nullable(Id), v.description('The image that the content names.')),
  position: v.pipe(v.number(), v.integer(), v.examples([0])),
}
/** What history and events say of a section. */
export const SectionRecord = v.object({ ...sectionFields, ...timestamps })
export const TemplateSection = named(
  'DocumentTemplateSection',
  v.object({
    ...sectionFields,
    content: v.pipe(v.record(v.string(), v.unknown()), v.description(CONTENT), v.examples([{ text: 'Dear {{contact.first_name}}' }])),
    ...timestamps,
  }),
)
export type TemplateSection = v.InferOutput<typeof TemplateSection>

const template = {
  id: Id,
  name: v.string(),
  description: v.nullable(v.string()),
  document_type: v.nullable(v.string()),
  revision: v.pipe(v.number(), v.integer(), v.description('Counts the changes of the template and of its sections.'), v.examples([1])),
  ...timestamps,
}
export const DocumentTemplate = named('DocumentTemplate', v.object(template))
export type DocumentTemplate = v.InferOutput<typeof DocumentTemplate>
export const DocumentTemplateDetails = named(
  'DocumentTemplateDetails',
  v.object({ ...template, sections: v.pipe(v.array(TemplateSection), v.description('The sections in order.')) }),
)
export type DocumentTemplateDetails = v.InferOutput<typeof DocumentTemplateDetails>

export const previewQuery = v.strictObject({
  contact_id: v.optional(describe(Id, 'The contact of the merge fields; needs contacts:read.')),
  customer_id: v.optional(
    describe(Id, 'The company of the merge fields; needs companies:read. By default that of the opportunity or contact.'),
  ),
  opportunity_id: v.optional(describe(Id, 'The opportunity of the merge fields; needs opportunities:read.')),
})
export type PreviewQuery = v.InferOutput<typeof previewQuery>
