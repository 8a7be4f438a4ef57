import * as v from 'valibot'
import { SAMPLE_ID } from './fields.ts'
import { probably } from './issues.ts'

/** The most ids or names in one query parameter. */
export const MAX_LISTED = 100
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

type Listed<Out> = {
  what: string
  description: string
  example: string
  /** Says what is wrong with a value; the issue names the index of the value. */
  faultOf: (value: string) => string | undefined
  read: (values: string[]) => Out[]
}

/** Values separated by commas. */
const queryList = <Out>({ what, description, example, faultOf, read }: Listed<Out>) =>
  v.pipe(
    v.string(`must be ${what}, separated by commas`),
    v.description(description),
    v.examples([example]),
    v.rawTransform<string, Out[]>(({ dataset, addIssue, NEVER }) => {
      const values = dataset.value.split(',').map((value) => value.trim())
      const message = `must be at most ${MAX_LISTED} ${what}: send the rest in another request`
      if (values.length > MAX_LISTED) addIssue({ message })
      const faults = values.slice(0, MAX_LISTED).flatMap((value, key) => {
        const message = faultOf(value)
        return message === undefined ? [] : [{ message, path: [{ type: 'array', origin: 'value', input: values, key, value }] as const }]
      })
      for (const { message, path } of faults) addIssue({ message, path: [...path] })
      return values.length > MAX_LISTED || faults.length > 0 ? NEVER : read(values)
    }),
  )

/** Record ids. */
export const queryIds = (description: string) =>
  queryList({
    what: 'ids',
    description,
    example: SAMPLE_ID,
    faultOf: (id) => (UUID.test(id) ? undefined : `must be a UUID, such as ${SAMPLE_ID}`),
    read: (ids) => [...new Set(ids.map((id) => id.toLowerCase()))],
  })

/** The most names that a message lists. */
const MAX_NAMED = 60

function unknownName(name: string, known: readonly string[]): string {
  const meant = probably(name, known)
  if (meant !== undefined) return `Unknown name: did you mean ${meant}?`
  return `Unknown name: use ${known.slice(0, MAX_NAMED).join(', ')}${known.length > MAX_NAMED ? ' and others' : ''}`
}

/** Some of the `known` names, as a list; its example has the first `shown` ones. */
export const names = <Out>(known: string[], description: string, read: (names: string[]) => Out[], shown = 1) =>
  v.pipe(
    v.array(
      v.picklist(known, ({ input }) => unknownName(String(input), known)),
      'must be a list of names',
    ),
    v.maxLength(MAX_LISTED, `must be at most ${MAX_LISTED} names`),
    v.description(description),
    v.examples([known.slice(0, shown)]),
    v.transform(read),
  )

/** Some of the `known` names. */
export const queryNames = <Out>(known: string[], description: string, read: (names: string[]) => Out[]) =>
  queryList({
    what: 'names',
    description,
    example: known[0] ?? '',
    faultOf: (name) => (known.includes(name) ? undefined : unknownName(name, known)),
    read,
  })
