import * as v from 'valibot'
import { FIELD_TYPES } from '../../../domain/filters/custom-types.ts'
import { OBJECTS, ROOTS } from '../../../domain/filters/types.ts'
import { named } from '../../../schemas/common.ts'
import { Bool, describe, Enum } from '../../../schemas/fields.ts'
import { FilterField } from '../../../schemas/filters.ts'
import { AGGREGATES } from '../rules/relations.ts'

export const exportCatalogueQuery = v.strictObject({
  root_entity: Enum(ROOTS, 'The kind of record that each row of the file is about.'),
})

/** The types of columns: those of custom fields, and those that only the fields of every workspace have. */
const COLUMN_TYPES = [...FIELD_TYPES, 'list', 'id', 'instant', 'json'] as const

export const ExportCatalogue = named(
  'ExportCatalogue',
  v.object({
    root_entity: v.pipe(v.picklist(ROOTS), v.description('The kind of record that each row is about.')),
    filter_fields: v.pipe(v.array(FilterField), v.description('The fields that the filter of an export can use.')),
    relations: v.pipe(
      v.array(v.object({ relation: v.string(), object: v.picklist(OBJECTS) })),
      v.description('The related records that `has` can ask about.'),
    ),
    column_fields: v.pipe(
      v.array(
        v.object({
          path: v.pipe(v.string(), v.description('The name of the column in `fields` of an export.'), v.examples(['city'])),
          label: v.pipe(v.nullable(v.string()), v.description('The label of a custom field; null for other fields.')),
          type: v.pipe(v.string(), v.description(`The type of its values: ${COLUMN_TYPES.join(', ')}.`), v.examples(['text'])),
          custom: describe(Bool, 'Whether the workspace has defined the field.'),
          aggregates: v.pipe(
            v.nullable(v.array(v.picklist(AGGREGATES))),
            v.description(
              'For a field of several related records, with what the path must end: `opportunities.value` and `sum` make ' +
                '`opportunities.value.sum`. Null for other columns.',
            ),
            v.examples([['sum', 'first', 'last', 'list']]),
          ),
        }),
      ),
      v.description(
        'The columns that a file can have. Paths with a relation, such as `company.name`, are for export templates only; ' +
          'a path may lead on to further records, as `company.parent.name` does, and to their custom fields.',
      ),
    ),
  }),
)
