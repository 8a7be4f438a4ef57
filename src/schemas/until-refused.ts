import type * as v from 'valibot'

/** More than an error shows. */
const MOST_REFUSED = 100

type List = v.ArraySchema<v.GenericSchema, v.ErrorMessage<v.ArrayIssue> | undefined>

/** A list that is checked only until this many of its items were refused, because issues take far more memory than what they are about. */
export function untilRefused<const S extends List>(schema: S): S {
  return {
    ...schema,
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const { value } = dataset
      if (!Array.isArray(value)) return schema['~run'](dataset, config)
      const end = endOf(value, (item) => schema.item['~run']({ value: item }, config).issues !== undefined)
      return schema['~run'](Object.assign(dataset, { value: end < value.length ? value.slice(0, end) : value }), config)
    },
  }
}

/** The end of the part of a list that has as many refused items as are looked for. */
function endOf(items: unknown[], isRefused: (item: unknown) => boolean): number {
  let refused = 0
  for (const [at, item] of items.entries()) {
    if (isRefused(item)) refused++
    if (refused === MOST_REFUSED) return at + 1
  }
  return items.length
}
