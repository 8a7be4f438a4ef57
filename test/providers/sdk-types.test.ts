import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { SDKS } from '../clients/install.ts'
import { google } from './sdk-answers/google.ts'
import { microsoft } from './sdk-answers/microsoft.ts'
import { models } from './sdk-answers/models.ts'
import { payments } from './sdk-answers/payments.ts'
import { postmark } from './sdk-answers/postmark.ts'
import type { RecordedAnswer } from './sdk-answers/recorded.ts'
import { twilio } from './sdk-answers/twilio.ts'
import { transcripts, voices } from './sdk-answers/voices.ts'

const PROVIDERS = { models, voices, transcripts, payments, postmark, twilio, google, microsoft }

/**
 * `Json`: a type of a package as JSON has it, where times and enumerations are texts; fields of these names may be null. A value is given
 * as it stands, so that the compiler also refuses a field that the type does not have.
 */
const HEAD = `type Json<Type, Nullable extends string = never> = 0 extends 1 & Type ? Type
  : Type extends Date ? string
  : Type extends string ? \`\${Type}\`
  : Type extends object ? { [Name in keyof Type]: Json<Type[Name], Nullable> | (Name extends Nullable ? null : never) }
  : Type
declare function answer<Type>(value: Type): void
`
const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2024',
    types: [],
  },
  files: ['answers.ts'],
}

/** An answer, and the same one with a field too many, and without one that is required, which the compiler must refuse. */
function linesOf({ type, value, required }: RecordedAnswer): string[] {
  const line = (given: object) => `answer<${type}>(${JSON.stringify(given)})`
  const refused = (given: object) => `// @ts-expect-error\n${line(given)}`
  const without = Object.fromEntries(Object.entries(value as object).filter(([name]) => name !== required))
  const more = { ...(value as object), no_such_field: 1 }
  return [line(value as object), refused(more), ...(required === undefined ? [] : [refused(without)])]
}

test('what the emulators answer has the types of the official packages, with no other field and each required one', async () => {
  const answers: RecordedAnswer[] = []
  for (const [name, { types, record }] of Object.entries(PROVIDERS)) {
    const recorded = await record()
    expect([name, new Set(recorded.map(({ type }) => type)).size]).toEqual([name, types])
    answers.push(...recorded)
  }
  const declarations = Object.values(PROVIDERS).map((one) => one.declarations)
  writeFileSync(join(SDKS, 'answers.ts'), [...declarations, HEAD, answers.flatMap(linesOf).join('\n')].join(''))
  writeFileSync(join(SDKS, 'tsconfig.json'), JSON.stringify(OPTIONS))
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', SDKS, '--pretty', 'false'], { encoding: 'utf8' })
  const lines = readFileSync(join(SDKS, 'answers.ts'), 'utf8').split('\n')
  const shown = stdout.replace(/^.*answers\.ts\((\d+),\d+\): /gm, (_, at) => `${lines[Number(at) - 1]?.slice(0, 200)}\n  `)
  expect(shown).toBe('')
  expect(status).toBe(0)
})
