import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { componentInstances, opportunities, productComponents, products } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, insertEach, type Reference, refersTo, updateEach } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import { hand, handedText } from '../../../data/handed.ts'
import { mergedObject } from '../../../data/metadata.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, compiledSelect, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { withoutNulls } from '../../../lib/objects.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import {
  ATTRIBUTE_BYTES,
  ComponentInstance,
  type ComponentPatch,
  type InstancePatch,
  MOST_COMPONENTS,
  NewComponent,
  NewInstance,
  ProductComponent,
} from '../schemas/components.ts'

const NESTED = 'must be a component of the same product, neither the component itself nor below it, with fewer than eight above it'
const TOO_LARGE = `must be at most ${ATTRIBUTE_BYTES / 1024} KB together`
const fitting = (attributes: SQL) => sql`octet_length((${attributes})::text) <= ${ATTRIBUTE_BYTES}`
const SMALL: Reference = { field: 'attributes', message: TOO_LARGE, condition: fitting(sql`coalesce(r.attributes, '{}')`) }

/** A change of the parent of a component. Two at the same time could form a cycle that neither transaction sees. */
const parentLock = sql`select pg_advisory_xact_lock(hashtext('product_components'), hashtext(current_workspace()::text))`

const COMPONENT_RULES: Reference[] = [
  refersTo('product_id', products),
  {
    field: 'parent_component_id',
    message: NESTED,
    condition: sql`(r.parent_component_id is null or component_fits(r.id, r.parent_component_id, r.product_id))`,
  },
  SMALL,
]
const INSTANCE_RULES: Reference[] = [refersTo('product_id', products), refersTo('opportunity_id', opportunities), SMALL]

type Attributed = { attributes?: Record<string, unknown> | undefined }
const newRow = <Input extends Attributed>(input: Input) => ({
  ...input,
  id: newId(),
  ...(input.attributes && { attributes: withoutNulls(input.attributes) }),
})

/** The change of a record: its attributes are merged key by key, and must fit together. */
function changes(table: PgTable, id: string, patch: ComponentPatch) {
  const { attributes } = patch
  const merged = sql`(select t.attributes || ${JSON.stringify(attributes ?? {})}::jsonb from ${table} t where t.id = ${id})`
  return [
    attributes && assertField(fitting(merged), 'attributes', TOO_LARGE),
    Object.keys(patch).length > 0 &&
      updateEach(table, [{ ...patch, id }], [], attributes ? { attributes: mergedObject(table, 'attributes') } : {}),
  ]
}

const componentFields = columnsFor(productComponents, ProductComponent)
const components = compiledSelect(db.select(componentFields).from(productComponents))
const component = (id: string) => oneOrThrow(components.where(eq(productComponents.id, id)), 'product component', id)
const componentBulk = bulkTable({
  table: productComponents,
  entity: 'product_component',
  what: 'product component',
  fields: componentFields,
  references: COMPONENT_RULES,
})

export function createComponent(_ctx: Ctx, input: NewComponent) {
  const row = newRow(input)
  return plan([assertReferences(productComponents, row, COMPONENT_RULES), insertRow(productComponents, row)], component(row.id))
}

export function createComponents(records: unknown[]) {
  const validated = validateEach(NewComponent, records, newRow)
  return bulkWrite(componentBulk, validated, insertEach(productComponents, valuesOf(validated), COMPONENT_RULES))
}

export function updateComponent(ctx: Ctx, id: string, patch: ComponentPatch) {
  const { parent_component_id: parent } = patch
  const product = sql`(select c.product_id from product_components c where c.id = ${id})`
  return plan(
    [
      !!parent && parentLock,
      lockForUpdate(ctx, productComponents, id, 'product component'),
      !!parent && assertField(sql`component_fits(${id}::uuid, ${parent}::uuid, ${product})`, 'parent_component_id', NESTED),
      ...changes(productComponents, id, patch),
    ],
    component(id),
  )
}

const instanceFields = columnsFor(componentInstances, ComponentInstance)
const instances = compiledSelect(db.select(instanceFields).from(componentInstances))
const instance = (id: string) => oneOrThrow(instances.where(eq(componentInstances.id, id)), 'component instance', id)
const instanceBulk = bulkTable({
  table: componentInstances,
  entity: 'component_instance',
  what: 'component instance',
  fields: instanceFields,
  references: INSTANCE_RULES,
})

export function createInstance(_ctx: Ctx, input: NewInstance) {
  const row = newRow(input)
  return plan([assertReferences(componentInstances, row, INSTANCE_RULES), insertRow(componentInstances, row)], instance(row.id))
}

export function createInstances(records: unknown[]) {
  const validated = validateEach(NewInstance, records, newRow)
  return bulkWrite(instanceBulk, validated, insertEach(componentInstances, valuesOf(validated), INSTANCE_RULES))
}

export const updateInstance = (ctx: Ctx, id: string, patch: InstancePatch) =>
  plan([lockForUpdate(ctx, componentInstances, id, 'component instance'), ...changes(componentInstances, id, patch)], instance(id))

/** Makes the instances that the line items of an opportunity lack. Calls at the same time make each of them once. */
export function makeInstances(ctx: Ctx, id: string) {
  const made = sql`make_component_instances(${id}::uuid, ${MOST_COMPONENTS}::int)`
  const result = mapResult(plainRows<{ made: string }>(sql`select ${handedText('made_instances')}`, ['made']), ([row]) => ({
    opportunity_id: id,
    made: Number(row?.made),
  }))
  return plan(
    [lockForUpdate({ ifMatch: ctx.ifMatch }, opportunities, id, 'opportunity'), hand('made_instances', sql`to_jsonb(${made})`)],
    result,
  )
}
