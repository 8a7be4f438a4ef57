import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, Multiline, Name, SingleLine } from '../../../schemas/fields.ts'
import { MAX_SUBJECT } from '../rules/emails.ts'
import { PERSON_TAGS, unknownTags } from '../rules/merge-tags.ts'

const MAX_TEMPLATE = 100_000
const MAX_SIGNATURE = 10_000
const TAGS = PERSON_TAGS.map((name) => `{{${name}}}`).join(', ')

const tagged = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const name of unknownTags(dataset.value, PERSON_TAGS))
        addIssue({ message: `has the unknown merge tag {{${name}}}: use ${PERSON_TAGS.join(', ')}, or remove it` })
    }),
  )

const fields = {
  name: describe(Name(120), 'The name of the template, which recipients do not see.', 'Offer'),
  subject: tagged(
    v.pipe(
      describe(SingleLine(MAX_SUBJECT), `The subject. It may have merge tags: ${TAGS}.`, 'Your offer, {{first_name | there}}'),
      v.minLength<string, 1, string>(1, 'must not be empty'),
    ),
  ),
  body_html: tagged(
    v.pipe(
      describe(
        Multiline(MAX_TEMPLATE),
        `The HTML, with merge tags: ${TAGS}. What follows \`|\` is shown for a contact without a value.`,
        '<p>Hello {{first_name | there}}, here is your offer.</p>',
      ),
      v.check((html) => html.trim() !== '', 'must not be empty'),
    ),
  ),
  body_text: v.optional(
    v.nullable(
      tagged(
        describe(
          Multiline(MAX_TEMPLATE),
          'The plain text, with merge tags. By default it is made of the HTML.',
          'Hello {{first_name | there}}',
        ),
      ),
    ),
  ),
}
export const NewEmailTemplate = v.strictObject(fields)
export type NewEmailTemplate = v.InferOutput<typeof NewEmailTemplate>
export const EmailTemplatePatch = v.partial(v.strictObject(fields))
export type EmailTemplatePatch = v.InferOutput<typeof EmailTemplatePatch>
export const EmailTemplateCopy = v.strictObject({ name: describe(Name(120), 'The name of the copy.', 'Offer in autumn') })

export const EmailTemplate = named(
  'EmailTemplate',
  v.object({
    id: Id,
    name: v.string(),
    subject: v.pipe(v.string(), v.examples(['Your offer, {{first_name | there}}'])),
    body_html: v.pipe(v.string(), v.description('The HTML, with its merge tags.')),
    body_text: v.pipe(v.nullable(v.string()), v.description('The plain text, with its merge tags; null if it is made of the HTML.')),
    ...timestamps,
  }),
)
export type EmailTemplate = v.InferOutput<typeof EmailTemplate>

export const templatePreviewQuery = v.strictObject({
  contact_id: v.optional(describe(Id, 'The contact whose values the merge tags have. Without one they have none.')),
})
export const EmailTemplatePreview = named(
  'EmailTemplatePreview',
  v.object({
    subject: v.pipe(v.string(), v.examples(['Your offer, Ana'])),
    body_html: v.pipe(v.string(), v.description('The HTML that is sent.'), v.examples(['<p>Hello Ana, here is your offer.</p>'])),
    body_text: v.string(),
    empty_tags: v.pipe(
      v.array(v.picklist(PERSON_TAGS)),
      v.description('The merge tags without a value and without a fallback: nothing is shown in their place.'),
      v.examples([[]]),
    ),
  }),
)

export const EmailSignatureBody = v.strictObject({
  html: v.pipe(
    v.nullable(
      describe(
        Multiline(MAX_SIGNATURE),
        'The signature as HTML, without scripts, forms and the like. Null removes it.',
        '<p>Ana Lee<br>Harbour Renovations</p>',
      ),
    ),
  ),
})
export const EmailSignature = named(
  'EmailSignature',
  v.object({
    html: v.pipe(v.nullable(v.string()), v.description('The HTML; null if there is no signature.'), v.examples(['<p>Ana Lee</p>'])),
    updated_at: v.pipe(v.nullable(InstantOut), v.description('When it was changed last.')),
  }),
)
export type EmailSignature = v.InferOutput<typeof EmailSignature>
