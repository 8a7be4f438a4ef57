import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { orderFormLogs, orderForms, pipelines } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { refersTo } from '../../../data/bulk.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertNoPaths, compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { assertExists, assertSent, columnsFor, insertRow, lockForUpdate, selectFrom, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { slugOf } from '../../scheduling/rules/hours.ts'
import { WITHOUT_DECIMALS } from '../rules/amounts.ts'
import { type logsQuery, MOST_CHARGED, type NewOrderForm, OrderForm, OrderFormLog, type OrderFormPatch } from '../schemas/order-forms.ts'

const WHAT = 'order form'
const forms = compiledSelect(selectFrom<v.InferOutput<typeof OrderForm>>(orderForms, columnsFor(orderForms, OrderForm)))
const record = (id: string) => oneOrThrow(forms.where(eq(orderForms.id, id)), WHAT, id)

const REFERENCES = [refersTo('pipeline_id', pipelines)]
const OTHER_CURRENCY =
  'is priced in another currency than the form, which has one: choose another product, or change the currency of the form'

type Items = NewOrderForm['items']
const completed = (items: Items) => sql`complete_order_items(${JSON.stringify(items)}::jsonb)`
const assertProducts = (items: Items): Statement =>
  assertNoPaths(sql`faulty_order_items(${JSON.stringify(items)}::jsonb, null, true)`, 'product_id does not exist in this workspace')

/** Asserts of the stored form that it has one currency, and prices that can be charged. */
const assertPrices = (id: string): Statement[] => {
  const ofForm = (check: string) => sql`(select ${sql.raw(check)} from order_forms f where f.id = ${id})`
  const whole = WITHOUT_DECIMALS.map((currency) => `'${currency}'`).join(', ')
  return [
    assertNoPaths(ofForm('faulty_order_items(f.items, f.currency, false)'), OTHER_CURRENCY),
    assertNoPaths(
      ofForm(`case when f.currency in (${whole}) then fractional_order_items(f.items) else '{}' end`),
      'must be a whole number, because the currency of the form has no decimals',
    ),
    assertNoPaths(
      ofForm(`costly_order_items(f.items, ${MOST_CHARGED})`),
      `must be ${MOST_CHARGED} or less, which is the most that can be charged at once: send a lower unit_price`,
    ),
  ]
}

export function createForm(_ctx: Ctx, input: NewOrderForm) {
  const id = newId()
  const slug = input.slug ?? `${slugOf(input.name) || 'order'}-${id.slice(-8)}`
  const row = { ...input, id, slug, items: completed(input.items) }
  return plan(
    [
      assertSent(orderForms, { id, pipeline_id: input.pipeline_id }, REFERENCES),
      assertProducts(input.items),
      insertRow(orderForms, row),
      ...assertPrices(id),
    ],
    record(id),
  )
}

export function updateForm(ctx: Ctx, id: string, { items, ...patch }: OrderFormPatch) {
  const row = { ...patch, ...(items && { items: completed(items) }) }
  return plan(
    [
      lockForUpdate(ctx, orderForms, id, WHAT),
      assertSent(orderForms, { id, pipeline_id: patch.pipeline_id }, REFERENCES),
      items && assertProducts(items),
      updateRows(orderForms, row, eq(orderForms.id, id), { id }),
      ...(items || patch.currency ? assertPrices(id) : []),
    ],
    record(id),
  )
}

type Status = v.InferOutput<typeof OrderFormLog>['order_status']
const status = sql<Status>`(select o.status from form_orders o
  where o.workspace_id = order_form_logs.workspace_id and o.id = order_form_logs.order_id)`
const logFields = columnsFor(orderFormLogs, OrderFormLog, { order_status: status.as('order_status') })
const logs = (keys: Keys) => db.select({ ...logFields, ...keys }).from(orderFormLogs)

export function listLogs(formId: string, { event, order_id, ...query }: v.InferOutput<typeof logsQuery>) {
  const result = page({
    select: logs,
    id: orderFormLogs.id,
    where: [
      eq(orderFormLogs.form_id, formId),
      event === undefined ? undefined : eq(orderFormLogs.event, event),
      order_id === undefined ? undefined : eq(orderFormLogs.order_id, order_id),
    ],
    sorts: { created_at: orderFormLogs.created_at },
    name: `order form logs ${formId}`,
    query: { ...query, sort: '-created_at' },
  })
  return plan([assertExists(orderForms, formId, WHAT)], result)
}
