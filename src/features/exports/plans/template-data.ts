import { sql } from 'drizzle-orm'
import { FIELD_OBJECT } from '../../../data/filters.ts'
import type { Query } from '../../../data/query.ts'
import type { FieldType } from '../../../domain/filters/custom-types.ts'
import { ROOTS, type RootName } from '../../../domain/filters/types.ts'
import { AppError } from '../../../errors.ts'
import { resourceOf } from '../rules/relations.ts'
import type { ExportDefinition, ExportFormat } from '../rules/templates.ts'
import type { CustomTypes } from './template-joins.ts'

/** What an export reads before it is planned. */
export type TemplateData = {
  template: ExportDefinition & { name: string; root_entity: RootName; format: ExportFormat }
  view: Partial<ExportDefinition> | undefined
  /** The resources that the role of the key's owner may read. */
  reads: string[]
  zone: string
  customType: CustomTypes
  labelOf: (object: RootName, key: string) => string | undefined
}

/** Every resource that a column, a filter or a sort can read. */
export const RESOURCES = [...new Set([...ROOTS, 'lists'].map(resourceOf))]

type Custom = { object: string; key: string; type: FieldType; label: string }

/** A template with a view of it, and what its columns depend on. @throws NOT_FOUND */
export function templateData(id: string, viewId: string | undefined): Query<TemplateData> {
  const view = sql`(select json_build_object('columns', v.columns, 'filters', v.filters, 'sort', v.sort) from export_views v
    where v.template_id = ${id} and v.id = ${viewId ?? null}::uuid)`
  return {
    query: sql`select (select json_build_object('name', t.name, 'root_entity', t.root_entity, 'columns', t.columns, 'filters', t.filters,
        'sort', t.sort, 'format', t.format)
        from export_templates t where t.id = ${id}), ${view},
      (select coalesce(json_agg(json_build_object('object', f.object, 'key', f.field_key, 'type', f.type, 'label', f.label)), '[]')
        from custom_fields f where not f.archived),
      to_json(role_reads(${`{${RESOURCES.join(',')}}`}::text[])), (select w.timezone from workspaces w)`,
    fields: [],
    hidden: 5,
    decode: (_, raw) => {
      const [template, found, custom, reads, zone] = raw[0] as [
        TemplateData['template'] | null,
        TemplateData['view'] | null,
        Custom[],
        string[],
        string,
      ]
      if (!template) throw new AppError('NOT_FOUND', 'No such export template in this workspace')
      if (viewId !== undefined && !found) throw new AppError('NOT_FOUND', 'You have no such view of this export template')
      const fieldOf = (object: RootName, key: string) =>
        custom.find((field) => field.object === (FIELD_OBJECT as Partial<Record<RootName, string>>)[object] && field.key === key)
      return {
        template,
        view: found ?? undefined,
        reads,
        zone,
        customType: (object, key) => fieldOf(object, key)?.type,
        labelOf: (object, key) => fieldOf(object, key)?.label,
      }
    },
  }
}
