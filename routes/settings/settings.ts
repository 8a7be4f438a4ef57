import { Hono } from 'hono'
import * as v from 'valibot'
import { listBirthdayCounts, listBirthdayDeliveries } from '../../src/features/birthdays/plans/deliveries.ts'
import { previewBirthdays } from '../../src/features/birthdays/plans/preview.ts'
import {
  BIRTHDAY_POLICY,
  BirthdayCount,
  BirthdayDelivery,
  BirthdayPreview,
  birthdayDeliveryQuery,
  birthdayPreviewQuery,
} from '../../src/features/birthdays/schemas/birthdays.ts'
import {
  getBirthdayMessages,
  getSettings,
  getTagPalette,
  setBirthdayMessages,
  setTagPalette,
  updateSettings,
} from '../../src/features/settings/plans/settings.ts'
import { listOwnChanges } from '../../src/features/settings/plans/workspace.ts'
import {
  BirthdayMessage,
  BirthdayMessages,
  CrmSettings,
  PaletteTag,
  SettingsPatch,
  TagPalette,
} from '../../src/features/settings/schemas/settings.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Change } from '../../src/schemas/common.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const settingsRouter = new Hono<App>()
export const settingsApi = endpoints(settingsRouter, { path: WORKSPACE.settings, tag: 'Settings' })

settingsApi.get(
  '/crm-settings',
  { id: 'getCrmSettings', summary: 'Get the CRM settings', access: scopes('company:read'), returns: CrmSettings },
  () => getSettings(),
)
settingsApi.patch(
  '/crm-settings',
  {
    id: 'updateCrmSettings',
    summary: 'Update the CRM settings',
    description:
      'Fields that are not sent keep their values. A list that is sent replaces the stored one. ' +
      'Names in a list are unique without regard to case.',
    access: scopes('company:write'),
    body: SettingsPatch,
    returns: CrmSettings,
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => updateSettings(ctx, body),
)
settingsApi.get(
  '/crm-settings/history',
  {
    id: 'listCrmSettingsHistory',
    summary: "List the CRM settings' change history",
    description: 'Includes the birthday messages and the tag palette. Each lead source has its own change history.',
    access: scopes('company:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(Change),
  },
  ({ query }) => listOwnChanges('crm_settings', query),
)

settingsApi.get(
  '/birthday-messages',
  {
    id: 'getBirthdayMessages',
    summary: 'Get the birthday messages',
    description: 'Returns one template for each year of the relationship.',
    access: scopes('company:read'),
    returns: v.array(BirthdayMessage),
  },
  () => getBirthdayMessages(),
)
settingsApi.put(
  '/birthday-messages',
  {
    id: 'replaceBirthdayMessages',
    summary: 'Replace the birthday messages',
    description: `Send the array, or an object that has it in \`messages\`. ${BIRTHDAY_POLICY}`,
    access: scopes('company:write'),
    body: BirthdayMessages,
    returns: v.array(BirthdayMessage),
    errors: ['PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => setBirthdayMessages(ctx, body),
)

settingsApi.get(
  '/birthday-messages/preview',
  {
    id: 'previewBirthdayMessages',
    summary: 'Preview the birthday messages of a day',
    description:
      'Lists the contacts with a birthday on that day in their own time zone, with the messages that they would get now and why others ' +
      `are skipped. ${BIRTHDAY_POLICY}`,
    access: scopes('company:read', 'contacts:read'),
    query: birthdayPreviewQuery,
    returns: listOf(BirthdayPreview),
  },
  ({ ctx, query }) => previewBirthdays(ctx, query),
)
settingsApi.get(
  '/birthday-messages/deliveries',
  {
    id: 'listBirthdayDeliveries',
    summary: 'List the results of birthday messages, newest first',
    description:
      'A contact has at most one delivery for each year and channel. `queued` means that there is a message, whose status GET ' +
      '/messages/:message_id returns; any other result is the reason why there is none.',
    access: scopes('company:read', 'contacts:read'),
    query: birthdayDeliveryQuery,
    returns: listOf(BirthdayDelivery),
  },
  ({ query }) => listBirthdayDeliveries(query),
)
settingsApi.get(
  '/birthday-messages/counts',
  {
    id: 'listBirthdayCounts',
    summary: 'Count the results of birthday messages by day, newest first',
    access: scopes('company:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(BirthdayCount),
  },
  ({ query }) => listBirthdayCounts(query),
)

settingsApi.get(
  '/settings/tag-palette',
  { id: 'getTagPalette', summary: 'Get the tag palette', access: scopes('company:read'), returns: v.array(PaletteTag) },
  () => getTagPalette(),
)
settingsApi.patch(
  '/settings/tag-palette',
  {
    id: 'replaceTagPalette',
    summary: 'Replace the tag palette',
    description: 'Send the array, or an object that has it in `tags`. If two names differ only in case, the last one is stored.',
    access: scopes('company:write'),
    body: TagPalette,
    returns: v.array(PaletteTag),
    errors: ['PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => setTagPalette(ctx, body),
)
