import * as v from 'valibot'
import {
  deleteOption,
  listTagUses,
  listUses,
  renameOption,
  type SettingsPicklistName,
} from '../../src/features/settings/plans/picklists.ts'
import {
  deleteQuery,
  OptionDeleted,
  OptionRenamed,
  OptionUse,
  renameOf,
  STILL_NAMED,
  TagUse,
} from '../../src/features/settings/schemas/picklists.ts'
import { scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pascal, spoken, withArticle } from '../../src/lib/nouns.ts'
import { Name } from '../../src/schemas/fields.ts'
import { settingsApi } from './settings.ts'

/** Registers the endpoints for a single value of a picklist: its usage, renaming it in all records, and deleting it. */
function registerPicklist(api: Api, path: string, of: { list: SettingsPicklistName; name: string }) {
  const { list, name } = of
  const param = `${name}_name`
  api.get(
    `${path}/usage`,
    {
      id: `get${pascal(name)}Usage`,
      summary: `Get the usage of each ${spoken(name)}`,
      description: 'Values are in the order of the list. Records are counted up to 1,000.',
      access: scopes('company:read'),
      returns: v.array(list === 'tags' ? TagUse : OptionUse),
    },
    () => (list === 'tags' ? listTagUses() : listUses(list)),
  )
  api.post(
    `${path}/rename`,
    {
      id: `rename${pascal(name)}`,
      summary: `Rename ${withArticle(spoken(name))} in every record`,
      description:
        'Renames the value in the list and in all records that have it, and records the change in their history. ' +
        'One call changes at most 2,000 records; repeat it while `more` is true. ' +
        STILL_NAMED,
      access: scopes('company:write'),
      body: renameOf(list),
      returns: OptionRenamed,
      errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    },
    ({ ctx, body }) => renameOption(ctx, list, body),
  )
  api.delete(
    `${path}/:${param}`,
    {
      id: `delete${pascal(name)}`,
      summary: `Delete ${withArticle(spoken(name))}`,
      description:
        'A value that records use can only be deleted with replace_with, which replaces it in these records. ' +
        'One call changes at most 2,000 records. The value is deleted with the last of them; repeat the call while `more` is true.',
      access: scopes('company:write'),
      params: v.object({ [param]: Name(120) }),
      query: deleteQuery,
      returns: OptionDeleted,
      errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, query }) => deleteOption(ctx, list, params[param] as string, query.replace_with),
  )
}

const settings = '/crm-settings'
registerPicklist(settingsApi, `${settings}/lost-reasons`, { list: 'lost_reasons', name: 'lost_reason' })
registerPicklist(settingsApi, `${settings}/won-reasons`, { list: 'won_reasons', name: 'won_reason' })
registerPicklist(settingsApi, `${settings}/opportunity-types`, { list: 'opportunity_types', name: 'opportunity_type' })
registerPicklist(settingsApi, `${settings}/account-types`, { list: 'account_types', name: 'account_type' })
registerPicklist(settingsApi, `${settings}/contact-types`, { list: 'contact_types', name: 'contact_type' })
registerPicklist(settingsApi, '/settings/tag-palette', { list: 'tags', name: 'palette_tag' })
