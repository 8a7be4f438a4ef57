import { catalogueOf } from './catalogue.ts'
import type { Filter, ObjectName, RootName } from './types.ts'

/** From a record of `object` to the related ones of `to`. */
export type Step = { object: RootName; relation: string; to: ObjectName }

/** The paths to the related records on which a filter depends, each with those that lead there. */
export function pathsIn(object: RootName, filter: Filter, trail: Step[] = []): Step[][] {
  switch (filter.type) {
    case 'all':
    case 'any':
      return filter.of.flatMap((member) => pathsIn(object, member, trail))
    case 'not':
      return pathsIn(object, filter.of, trail)
    case 'has': {
      const path = [...trail, { object, relation: filter.relation, to: filter.object }]
      return [path, ...(filter.where ? pathsIn(filter.object, filter.where, path) : [])]
    }
    case 'field': {
      const from = catalogueOf(object).fields[filter.field]?.from
      return from ? [[...trail, { object, relation: from, to: from }]] : []
    }
    default:
      return []
  }
}
