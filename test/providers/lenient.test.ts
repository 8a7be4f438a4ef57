import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDnsEmulator } from '../../dev/dns-emulator.ts'
import { LENIENCE } from '../../dev/lenience.ts'
import { closeEmulators, startEmulators } from '../emulators.ts'
import { expectWritten } from '../requests/written-rows.ts'
import { limit } from '../speed.ts'
import { google, microsoft } from './lenient/calendars.ts'
import { differences, kindOf, unlike } from './lenient/comparing.ts'
import { email, sms, whatsapp } from './lenient/messages.ts'
import { dns, embeddings, models, notetaker, payments, site, speech, turnstile, voice } from './lenient/others.ts'
import { recordOf } from './lenient/recorded.ts'
import { REFUSALS } from './lenient/refusals.ts'
import { answersTo, type Report, reportOf, STATUSES } from './lenient/reports.ts'
import type { AllEmulators, Run } from './lenient/runs.ts'

type Name = keyof AllEmulators
/** The calls of each provider's clients, by the name of the emulator. */
const RUNS: Record<Name, Run> = {
  email,
  sms,
  voice,
  models,
  embeddings,
  site,
  whatsapp,
  notetaker,
  speech,
  google,
  microsoft,
  stripe: payments,
  turnstile,
  dns,
}
const NAMES = Object.keys(RUNS) as Name[]

let emulators: AllEmulators
const reports: Partial<Record<Name, Report>> = {}
/** The providers are independent of each other, so that their waits need not follow one another. */
beforeAll(async () => {
  emulators = { ...(await startEmulators()), dns: await startDnsEmulator() }
  await Promise.all(
    NAMES.map(async (name) => (reports[name] = await reportOf(RUNS[name], emulators[name], LENIENCE[name], REFUSALS[name]))),
  )
}, limit(60_000))
afterAll(() => closeEmulators(emulators))

describe.each(NAMES)('%s', (name) => {
  const report = () => reports[name] as Report

  test('every method of its clients is called, and succeeds', () => {
    const { unused, strict } = report()
    expect(unused).toEqual([])
    expect(Object.entries(strict).filter(([, result]) => result?.thrown || result?.outcome === 'unclear')).toEqual([])
  })

  test('its clients read what is new to them, in any order, in pieces, with another status', () => {
    expect(differences(report().given, report().strict, false)).toEqual([])
  })

  test.each(['absent', 'null'] as const)('its clients need no field that may be %s', (missing) => {
    expect(differences(report()[missing], report().strict, true)).toEqual([])
  })

  test('an error means the same as JSON, as the page of a proxy, and without a body', () => {
    const { errors } = report()
    const found = STATUSES.flatMap((status) => {
      const [asJson, ...others] = answersTo(errors, status)
      return others.flatMap((kinds) => unlike(kinds, asJson ?? {}).map((text) => `${status} ${text}`))
    })
    expect(found).toEqual([])
  })

  test('a success without a body is none, unless nothing more is needed', () => {
    const { empty, strict } = report()
    const wrong = Object.entries(empty).filter(([step, kind]) => RUNS[name].bodiless.includes(step) !== (kind === kindOf(strict[step])))
    expect(wrong).toEqual([])
  })
})

test('each call sends, returns, and makes of every status and documented refusal what is recorded (WRITTEN=write records it)', () => {
  const all = NAMES.map((name) => recordOf(name, reports[name] as Report))
  expectWritten('providers.txt', Object.assign({}, ...all))
})

describe('providers', () => {
  const root = join(import.meta.dirname, '../..')
  const started = globSync('*.ts', { cwd: join(root, 'dev') }).filter((file) =>
    /\bexport (?:async )?function start\w+Emulator\b/.test(readFileSync(join(root, 'dev', file), 'utf8')),
  )
  const sections = readFileSync(join(root, 'dev/PROVIDERS.md'), 'utf8').split(/^## /m).slice(1)
  const rowsOf = (section: string) =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1)
      .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))

  test.each(started)('that %s emulates have a table of facts, with their sources and consequences', (file) => {
    const own = sections.filter((section) => section.includes(`Emulator: \`dev/${file}\``))
    expect(own.length).toBeGreaterThan(0)
    for (const section of own) {
      const rows = rowsOf(section)
      expect(rows.length, section).toBeGreaterThan(1)
      const bad = rows.filter(
        ([fact, source, consequence, ...more]) => !fact || !consequence || more.length > 0 || !SOURCE.test(source ?? ''),
      )
      expect(bad).toEqual([])
    }
  })

  test('have no emulator without a lenient run', () => {
    const names = started.map((file) => file.replace('-emulator.ts', ''))
    expect(names.filter((name) => !NAMES.some((known) => known.startsWith(name)))).toEqual([])
  })

  test('have no client that the lenient runs do not use', () => {
    const folders = [...globSync('src/features/*/provider/*.ts', { cwd: root }), ...globSync('src/providers/*/*.ts', { cwd: root })]
    const clients = folders.filter((file) => /\bfetch\(|\bhttp\.send\(/.test(readFileSync(join(root, file), 'utf8')))
    const used = importedBy(readdirSync(join(root, 'test/providers/lenient')).map((file) => join(root, 'test/providers/lenient', file)))
    expect(clients.length).toBeGreaterThan(15)
    expect(clients.filter((file) => !used.has(join(root, file)))).toEqual([])
  })
})

const SOURCE = /\]\(https:\/\/|^(?:observed|not documented|reports of users)/

/** The files, and all that they import. */
function importedBy(files: string[], found = new Set<string>()): Set<string> {
  for (const file of files.filter((one) => !found.has(one))) {
    found.add(file)
    const imported = [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)].map(([, path]) =>
      join(dirname(file), path as string),
    )
    importedBy(imported, found)
  }
  return found
}
