import * as v from 'valibot'
import { Id } from '../../../schemas/fields.ts'

const Named = v.object({ workspace_id: Id, notetaker_id: Id })
const Posted = v.looseObject({
  event: v.string(),
  data: v.looseObject({
    bot: v.optional(v.nullable(v.looseObject({ metadata: v.optional(v.nullable(v.record(v.string(), v.unknown()))) }))),
  }),
})

/**
 * The notetaker that a report of Recall.ai is about, by the metadata of its bot. Undefined for reports about bots that were not ordered
 * here.
 */
export function reportedNotetaker(posted: unknown): v.InferOutput<typeof Named> | undefined {
  const report = v.safeParse(Posted, posted)
  const named = v.safeParse(Named, report.success ? report.output.data.bot?.metadata : undefined)
  return named.success ? named.output : undefined
}
