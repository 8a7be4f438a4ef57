import { opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { plan } from '../../../data/plan.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { withoutNulls } from '../../../lib/objects.ts'
import { MAX_COPIED } from '../../pipelines/rules/pipeline.ts'
import type { CopyOpportunity } from '../schemas/opportunities.ts'
import { REFERENCES, record } from './opportunities.ts'

/** Copies an opportunity with the parts that `include` names, in one transaction. If-Match names the version of the original. */
export function copyOpportunity(ctx: Ctx, source_id: string, { metadata, ...input }: CopyOpportunity) {
  const id = newId()
  const request = { ...input, source_id, id, most: MAX_COPIED, ...(metadata && { metadata: withoutNulls(metadata) }) }
  return plan(
    [
      lockForUpdate(ctx, opportunities, source_id, 'opportunity'),
      assertReferences(opportunities, { id, stage_id: input.stage_id }, REFERENCES),
      call('copy_opportunity', JSON.stringify(request)),
    ],
    record(id),
  )
}
