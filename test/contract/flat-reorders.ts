import type { Call, Target } from './flat-calls.ts'

const idsIn = async ({ ws }: Target, path: string): Promise<string[]> => (await ws.get(path)).body.data.map(({ id }: { id: string }) => id)

/** What orders a list names all of it: here each id that its path returns. */
const whole =
  (field: string, path: (ids: Target['ids']) => string, more: Record<string, unknown> = {}): Call['prepare'] =>
  async (target) => ({ body: { ...more, [field]: await idsIn(target, path(target.ids)) } })

/** The calls that put a whole list in order. */
export const REORDERS: Record<string, Call['prepare']> = {
  ...Object.fromEntries(
    ['opportunities', 'deals'].flatMap((plural) =>
      ['products', 'buckets'].map((part) => [
        `POST /${plural}/:opportunity_id/${part}/reorder`,
        whole('ids', ({ opportunity_id }) => `/opportunities/${opportunity_id}/${part}`),
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['auto-queues', 'event-queues'].map((plural) => [
      `POST /${plural}/:auto_queue_id/steps/reorder`,
      whole('step_ids', ({ draft_queue_id }) => `/auto-queues/${draft_queue_id}/steps?limit=100`),
    ]),
  ),
  'POST /pipelines/:pipeline_id/stages/reorder': whole('stage_ids', ({ pipeline_id }) => `/pipelines/${pipeline_id}/stages`),
  'POST /work-order-statuses/reorder': whole('status_ids', () => '/work-order-statuses?limit=100'),
  'POST /custom-fields/reorder': whole('custom_field_ids', () => '/custom-fields?object=contact&limit=100', { object: 'contact' }),
  'POST /document-templates/:document_template_id/sections/reorder': whole(
    'section_ids',
    ({ document_template_id }) => `/document-templates/${document_template_id}/sections?limit=100`,
  ),
  'POST /reputation/case-studies/reorder': whole('case_study_ids', () => '/reputation/case-studies?limit=100'),
}
