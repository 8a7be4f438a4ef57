import { Hono } from 'hono'
import * as v from 'valibot'
import { customFields } from '../../schema/index.ts'
import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  getCustomFieldSettings,
  listCustomFields,
  reorderCustomFields,
  restoreCustomField,
  setStrict,
  updateCustomField,
} from '../../src/features/settings/plans/custom-fields.ts'
import { renameCustomOption } from '../../src/features/settings/plans/custom-options.ts'
import {
  CustomField,
  CustomFieldOrder,
  CustomFieldPatch,
  CustomFieldSettings,
  CustomFieldSettingsPatch,
  customFieldQuery,
  NewCustomField,
  RenameOption,
} from '../../src/features/settings/schemas/custom-fields.ts'
import { OptionRenamed, STILL_NAMED } from '../../src/features/settings/schemas/picklists.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { history } from '../../src/http/resource.ts'
import { registerRestore } from '../../src/http/restore.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const customFieldsRouter = new Hono<App>()
export const customFieldsApi = endpoints(customFieldsRouter, { path: WORKSPACE.customFields, tag: 'Custom fields' })
export const customFieldSettingsRouter = new Hono<App>()
export const customFieldSettingsApi = endpoints(customFieldSettingsRouter, { path: WORKSPACE.customFieldSettings, tag: 'Custom fields' })

const params = v.object({ custom_field_id: Id })

customFieldsApi.get(
  '',
  {
    id: 'listCustomFields',
    summary: 'List custom fields, in order',
    description: 'Custom fields are defined by the workspace. Their values are in the `metadata` of records.',
    access: scopes('company:read'),
    query: customFieldQuery,
    returns: listOf(CustomField, { table: customFields, entity: 'custom_field' }),
  },
  ({ query }) => listCustomFields(query),
)
customFieldsApi.get(
  '/:custom_field_id',
  {
    id: 'getCustomField',
    summary: 'Get a custom field',
    access: scopes('company:read'),
    params,
    returns: CustomField,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getCustomField(params.custom_field_id),
)
customFieldsApi.post(
  '',
  {
    id: 'createCustomField',
    summary: 'Create a custom field',
    description:
      'From now on, values under its key are validated whenever a record is written. ' +
      'Existing values of the right type become values of the field.',
    access: scopes('company:write'),
    body: NewCustomField,
    returns: created(CustomField),
    errors: ['CONFLICT'],
  },
  ({ body }) => createCustomField(body),
)
customFieldsApi.post(
  '/reorder',
  {
    id: 'reorderCustomFields',
    summary: "Reorder an object's custom fields",
    access: scopes('company:write'),
    body: CustomFieldOrder,
    returns: v.array(CustomField),
  },
  ({ body }) => reorderCustomFields(body.object, body.custom_field_ids),
)
customFieldsApi.patch(
  '/:custom_field_id',
  {
    id: 'updateCustomField',
    summary: 'Update a custom field',
    description: 'The object, key and type cannot be changed. Existing values are kept, and validated when they are changed.',
    access: scopes('company:write'),
    params,
    body: CustomFieldPatch,
    returns: CustomField,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateCustomField(ctx, params.custom_field_id, body),
)
customFieldsApi.delete(
  '/:custom_field_id',
  {
    id: 'deleteCustomField',
    summary: 'Delete a custom field',
    description: 'Deletes only the definition. Its values stay in `metadata` and are no longer validated.',
    access: scopes('company:write'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteCustomField(ctx, params.custom_field_id),
)
customFieldsApi.post(
  '/:custom_field_id/rename-option',
  {
    id: 'renameCustomFieldOption',
    summary: 'Rename an option of a custom field in every record',
    description:
      'Renames the option in the field and in all records that have it, and records the change in their history. ' +
      'One call changes at most 2,000 records; repeat it while `more` is true. To combine two options, remove the old one from the ' +
      'field, then rename it to the other. ' +
      STILL_NAMED,
    access: scopes('company:write'),
    params,
    body: RenameOption,
    returns: OptionRenamed,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => renameCustomOption(ctx, params.custom_field_id, body),
)
registerRestore(customFieldsApi, {
  id: 'restoreCustomField',
  summary: 'Restore a custom field that was deleted',
  path: '/:custom_field_id',
  params: ['custom_field_id'],
  access: scopes('company:write'),
  returns: one(CustomField),
  plan: ({ custom_field_id }) => restoreCustomField(custom_field_id as string),
})
history(customFieldsApi, '/:custom_field_id/history', {
  entity: 'custom_field',
  table: customFields,
  param: 'custom_field_id',
  scopes: ['company:read'],
})

customFieldSettingsApi.get(
  '',
  { id: 'getCustomFieldSettings', summary: 'Get the custom field settings', access: scopes('company:read'), returns: CustomFieldSettings },
  () => getCustomFieldSettings(),
)
customFieldSettingsApi.patch(
  '',
  {
    id: 'updateCustomFieldSettings',
    summary: 'Update the custom field settings',
    description: 'The settings apply to later writes.',
    access: scopes('company:write'),
    body: CustomFieldSettingsPatch,
    returns: CustomFieldSettings,
    errors: ['PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => setStrict(ctx, body.strict),
)
