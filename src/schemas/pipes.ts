import * as v from 'valibot'
import { isCleanText } from '../lib/text.ts'

/** The building blocks of the field schemas. */

const CONTROL = /[\p{Cc}\u2028\u2029]/u

/**
 * A pipe action that rewrites a value, or refuses it with `message` by returning undefined. Unlike v.transform it doesn't end the part of
 * the pipe from which JSON Schema is generated, so the actions after it are documented for requests and responses alike.
 */
export function parse<I, O>(type: string, read: (value: I) => O | undefined, message: string) {
  const action: v.BaseTransformation<I, O, v.BaseIssue<I>> & { message: string } = {
    kind: 'transformation',
    type,
    reference: parse,
    async: false,
    message,
    '~run'(dataset, config) {
      const value = read(dataset.value)
      if (value === undefined) v._addIssue(action, 'value', dataset, config)
      // After a failed parse, the remaining checks have nothing to validate.
      return (value === undefined ? Object.assign(dataset, { typed: false }) : { typed: true, value }) as v.OutputDataset<O, v.BaseIssue<I>>
    },
  }
  return action
}

/** The same schema with another description and, where given, other examples. Works on optional and nullable schemas too. */
export function describe<const S extends v.GenericSchema>(schema: S, description: string, ...examples: v.InferInput<S>[]): S {
  const replaced = examples.length === 0 ? ['description'] : ['description', 'examples']
  const kept = flatPipe(schema).filter((item) => item.kind !== 'metadata' || !replaced.includes(item.type))
  const added = [v.description(description), ...(examples.length === 0 ? [] : [v.examples(examples)])]
  return pipeOf<S>(...kept, ...added)
}

/** A pipe whose items are known only when the program runs; valibot types those that are written out. */
export const pipeOf = <S extends v.GenericSchema>(...items: unknown[]): S => (v.pipe as unknown as (...items: unknown[]) => S)(...items)

/** The parts of a schema that valibot has but does not declare for every schema. */
export const partsOf = <Parts>(schema: v.GenericSchema): Parts => schema as unknown as Parts

type PipeItem = { kind: string; type: string; requirement?: unknown; pipe?: readonly PipeItem[] }

/** The schema and the actions of a pipe, with those of the pipes within it. */
export function flatPipe(item: PipeItem): PipeItem[] {
  return item.pipe ? item.pipe.flatMap(flatPipe) : [item]
}

/** A property that may be absent or null. For text schemas, blank text counts as null and clears the field. */
export function optional<const S extends v.GenericSchema>(schema: S): v.OptionalSchema<v.NullableSchema<S, undefined>, undefined> {
  const nullable = v.nullable(schema)
  if (schema.type !== 'string') return v.optional(nullable)
  return v.optional({
    ...nullable,
    '~run'(dataset, config) {
      const blank = typeof dataset.value === 'string' && dataset.value.trim() === ''
      return nullable['~run'](blank ? { value: null } : dataset, config)
    },
  })
}

/** Marks an amount of money in a response, which is written with two decimals. */
export const TWO_DECIMALS = v.metadata<number, Record<never, never>>({})
/** An amount of money in a response. */
export const moneyOut = v.pipe(v.number(), TWO_DECIMALS)

export const text = (remedy: string) => v.string(`must be text: ${remedy}`)
export const clean = v.check(isCleanText, 'must be well-formed text without NUL characters')
export const oneLine = v.check(
  (value: string) => isCleanText(value) && !CONTROL.test(value),
  'must be one line of text without control characters',
)
export const shortEnough = (max: number) => v.maxLength<string, number, string>(max, `must be at most ${max} characters long`)
