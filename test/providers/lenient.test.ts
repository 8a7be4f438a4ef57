import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDnsEmulator } from '../../dev/dns-emulator.ts'
import { LENIENCE } from '../../dev/lenience.ts'
import { closeEmulators, startEmulators } from '../emulators.ts'
import { google, microsoft } from './lenient/calendars.ts'
import { differences, kindOf, unlike } from './lenient/comparing.ts'
import { email, sms, whatsapp } from './lenient/messages.ts'
import { dns, embeddings, models, notetaker, payments, site, speech, turnstile, voice } from './lenient/others.ts'
import { answersTo, type Report, reportOf, STATUSES } from './lenient/reports.ts'
import type { AllEmulators, Run } from './lenient/runs.ts'

type Name = keyof AllEmulators
/** The calls of each provider's clients, by the name of the emulator. */
const RUNS: Record<Name, Run> = {
  ...{ email, sms, voice, models, embeddings, site, whatsapp, notetaker, speech, google, microsoft, stripe: payments, turnstile, dns },
}
const NAMES = Object.keys(RUNS) as Name[]

let emulators: AllEmulators
const reports: Partial<Record<Name, Report>> = {}
/** The providers are independent of each other, so that their waits need not follow one another. */
beforeAll(async () => {
  emulators = { ...(await startEmulators()), dns: await startDnsEmulator() }
  await Promise.all(NAMES.map(async (name) => (reports[name] = await reportOf(RUNS[name], emulators[name], LENIENCE[name]))))
}, 60_000)
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
