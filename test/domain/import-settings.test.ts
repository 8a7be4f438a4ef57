import { expect, test } from 'vitest'
import { missingSettings, type Settings, settingsIssues } from '../../src/features/imports/rules/settings.ts'
import { ACTIVE_STATES, IMPORT_STATES, type ImportState, type Phase, startIssue } from '../../src/features/imports/rules/states.ts'

const COLUMNS = ['Name', 'Email']
const map = (...pairs: [string, string][]) => ({ mapping: pairs.map(([column, field]) => ({ column, field })) })
const settings = (some: Partial<Settings>): Settings => ({
  object: 'contacts',
  mapping: [],
  defaults: {},
  mode: 'create',
  match_by: null,
  ignored_columns: [],
  replacements: [],
  ...some,
})

test.each<[title: string, some: Partial<Settings>, paths: string[]]>([
  ['a mapping of columns to fields', map(['Name', 'name'], ['Email', 'metadata.email']), []],
  ['a column that the file lacks', map(['Zork', 'name']), ['mapping.0.column']],
  ['an unknown field', map(['Name', 'zork'], ['Email', 'metadata.']), ['mapping.0.field', 'mapping.1.field']],
  ['a field of another object', { object: 'companies', ...map(['Name', 'first_name']) }, ['mapping.0.field']],
  ['two columns for one field', map(['Name', 'last_name'], ['Email', 'last_name']), ['mapping.1.field']],
  ['two columns for a field that may have several', map(['Name', 'email'], ['Email', 'email']), []],
  ['a column twice for one field', map(['Email', 'email'], ['Email', 'email']), ['mapping.1.field', 'mapping.1.column']],
  ['one column for two kinds of consent', map(['Name', 'email_unsubscribed'], ['Name', 'sms_unsubscribed']), []],
  [
    'an ignored column that is mapped, and an unknown one',
    { ignored_columns: ['Email', 'Zork'], ...map(['Email', 'email']) },
    ['ignored_columns.0', 'ignored_columns.1'],
  ],
  ['a replacement in an unknown field', { replacements: [{ field: 'zork', from: 'a', to: '' }] }, ['replacements.0.field']],
  ['one column for two fields', map(['Name', 'first_name'], ['Name', 'email']), ['mapping.1.column']],
  ['a default for an unknown field', { defaults: { zork: '1', city: 'Perth', 'metadata.tier': 'Gold' } }, ['defaults.zork']],
  ['a match by a field of another object', { match_by: 'name' }, ['match_by']],
  ['a match by a field', { object: 'companies', match_by: 'name' }, []],
])('the settings of an import: %s', (_, some, paths) => {
  expect(settingsIssues(settings(some), COLUMNS).map(({ path }) => path)).toEqual(paths)
})

const named = map(['Name', 'first_name'], ['Email', 'email'])
const columns = (...names: string[]) => ({ columns: names.map((name) => ({ name, samples: [] })) })
test.each<[title: string, some: Partial<Settings> & { columns?: { name: string; samples: string[] }[] }, paths: string[]]>([
  ['a required field', named, []],
  ['a column about consent that is not decided', { ...named, ...columns('Name', 'Email', 'Email Opt Out') }, ['mapping']],
  ['a column about consent that is ignored', { ...named, ...columns('Email Opt Out'), ignored_columns: ['Email Opt Out'] }, []],
  ['an update by the best identifier', { mode: 'update', match_by: 'best', ...named }, []],
  ['an update without any identifier', { mode: 'update', match_by: 'best', ...map(['Name', 'first_name']) }, ['match_by']],
  ['a required field as a default', { defaults: { name: 'Ana' } }, []],
  ['no required field', map(['Email', 'notes']), ['mapping']],
  ['an address, from which the name of a person follows', map(['Email', 'email']), []],
  ['no name, of records that are known', { object: 'companies', mode: 'upsert', match_by: 'best', ...map(['Name', 'external_id']) }, []],
  ['no required field is needed to update', { mode: 'update', match_by: 'email', ...map(['Email', 'email']) }, []],
  ['nothing to match by', { mode: 'upsert', ...named }, ['match_by']],
  ['a match by a field that is not mapped', { mode: 'upsert', match_by: 'phone', ...named }, ['match_by']],
  [
    'a pipeline without a stage, which an export may have',
    { object: 'opportunities', mode: 'upsert', match_by: 'name', ...map(['Name', 'name'], ['Email', 'pipeline']) },
    [],
  ],
  [
    'a stage too',
    {
      object: 'opportunities',
      mode: 'upsert',
      match_by: 'name',
      ...map(['Name', 'name'], ['Email', 'pipeline']),
      defaults: { stage: 'Won' },
    },
    [],
  ],
])('before an import starts: %s', (_, some, paths) => {
  expect(missingSettings(settings(some), some.columns ?? []).map(({ path }) => path)).toEqual(paths)
})

const CAN_START: Record<Phase, ImportState[]> = {
  check: ['ready', 'checked'],
  run: ['ready', 'checked', 'failed', 'cancelled'],
  undo: ['finished', 'failed', 'cancelled'],
}

test.each(Object.entries(CAN_START) as [Phase, ImportState[]][])('a %s starts from %j, and from no other state', (phase, states) => {
  expect(IMPORT_STATES.filter((state) => !startIssue(phase, state, null))).toEqual(IMPORT_STATES.filter((state) => states.includes(state)))
  for (const state of ACTIVE_STATES)
    expect(startIssue(phase, state, null)).toMatchObject({ details: { state, allowed: expect.any(Array) } })
})

test('an undo that stopped half-way can continue, and no run can follow it', () => {
  expect(startIssue('undo', 'failed', 'undo')).toBeUndefined()
  expect(startIssue('run', 'failed', 'undo')).toMatchObject({ message: 'This import is failed, and partly undone' })
  expect(startIssue('run', 'failed', 'run')).toBeUndefined()
})
