import { Hono } from 'hono'
import * as v from 'valibot'
import { emailTemplates } from '../../schema/index.ts'
import { createTemplate, duplicateTemplate, previewTemplate, updateTemplate } from '../../src/features/email/plans/templates.ts'
import {
  EmailTemplate,
  EmailTemplateCopy,
  EmailTemplatePatch,
  EmailTemplatePreview,
  NewEmailTemplate,
  templatePreviewQuery,
} from '../../src/features/email/schemas/email-templates.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const emailTemplatesRouter = new Hono<App>()
export const emailTemplatesApi = endpoints(emailTemplatesRouter, { path: CRM.emailTemplates, tag: 'Email' })

const params = v.object({ email_template_id: Id })

resource(emailTemplatesApi, {
  name: 'email_template',
  plural: 'email-templates',
  scope: 'email',
  table: emailTemplates,
  returns: EmailTemplate,
  list: {},
  get: {},
  create: { description: 'A merge tag that is unknown is refused by its name.', body: NewEmailTemplate, plan: createTemplate, errors: [] },
  update: { body: EmailTemplatePatch, plan: updateTemplate, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { action: 'write', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
emailTemplatesApi.post(
  '/:email_template_id/duplicate',
  {
    id: 'duplicateEmailTemplate',
    summary: 'Duplicate an email template',
    access: scopes('email:write'),
    params,
    body: EmailTemplateCopy,
    returns: created(EmailTemplate),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => duplicateTemplate(ctx, params.email_template_id, body.name),
)
emailTemplatesApi.get(
  '/:email_template_id/preview',
  {
    id: 'previewEmailTemplate',
    summary: 'Preview an email template for a contact',
    description: 'Returns the email as it would be sent, and the merge tags that would be shown as nothing.',
    access: scopes('email:read', 'contacts:read'),
    params,
    query: templatePreviewQuery,
    returns: EmailTemplatePreview,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => previewTemplate(ctx, params.email_template_id, query.contact_id),
)
