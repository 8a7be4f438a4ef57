import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import { pipelines, stages } from '../../../../schema/index.ts'
import { insertEach } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { assert } from '../../../data/query.ts'
import { newId } from '../../../lib/ids.ts'
import { withProbability } from '../../pipelines/plans/pipelines.ts'
import { DEFAULT_STAGES, kindOfName, STAGE_KINDS } from '../../pipelines/rules/pipeline.ts'
import { NewPipeline, NewStage } from '../../pipelines/schemas/pipelines.ts'

/** An import adds no pipeline to a workspace that has this many, and no stage to such a pipeline. */
const MOST = 100

type Stage = { id: string; pipeline_id: string; name: string; kind: (typeof STAGE_KINDS)[number] }
/** The pipeline of a stage, with the number of the stages that it has. */
export type Home = { id: string; stages: number }
type Refused = { message: string }

/** The pipelines and stages that a batch of lines names, and creates because there are none. */
export class MissingPipelines {
  readonly #known: number
  readonly #pipelines = new Map<string, { id: string; name: string }>()
  readonly #stages = new Map<string, Stage>()

  /** `known` is the number of the workspace's pipelines. */
  constructor(known: number) {
    this.#known = known
  }

  /** The pipeline of this name, which is to be created. `norm` is the form in which names are compared. */
  pipelineNamed(text: string, norm: string): Home | Refused {
    const made = this.#pipelines.get(norm)
    if (made) return { id: made.id, stages: 0 }
    const name = v.safeParse(NewPipeline.entries.name, text)
    if (!name.success) return { message: `cannot be the name of a pipeline: ${name.issues[0].message}` }
    if (this.#known + this.#pipelines.size >= MOST)
      return {
        message: `The workspace has ${MOST} pipelines, and an import creates no more: map the value to one of them with replacements`,
      }
    const row = { id: newId(), name: name.output }
    this.#pipelines.set(norm, row)
    return { id: row.id, stages: 0 }
  }

  stageNamed({ id: pipeline_id, stages }: Home, text: string, norm: string): { id: string } | Refused {
    const key = `${pipeline_id} ${norm}`
    const made = this.#stages.get(key)
    if (made) return made
    const name = v.safeParse(NewStage.entries.name, text)
    if (!name.success) return { message: `cannot be the name of a stage: ${name.issues[0].message}` }
    if (stages + this.#ofPipeline(pipeline_id).length >= MOST)
      return { message: `The pipeline has ${MOST} stages, the most that it can have: map the value to one of them with replacements` }
    const row = { id: newId(), pipeline_id, name: name.output, kind: kindOfName(name.output) }
    this.#stages.set(key, row)
    return row
  }

  #ofPipeline(id: string): Stage[] {
    return [...this.#stages.values()].filter(({ pipeline_id }) => pipeline_id === id)
  }

  /** The statements that create those that valid records refer to, before these. */
  statements(used: Set<unknown>): Statement[] {
    const named = [...this.#stages.values()].filter(({ id }) => used.has(id))
    const made = [...this.#pipelines.values()].filter(({ id }) => used.has(id) || named.some(({ pipeline_id }) => pipeline_id === id))
    if (made.length + named.length === 0) return []
    const added = Map.groupBy(
      named.filter(({ pipeline_id }) => !made.some(({ id }) => id === pipeline_id)),
      ({ pipeline_id }) => pipeline_id,
    )
    const lists = [...added.values(), ...made.map(({ id }) => completed(id, named))]
    const rows = lists.flatMap((list) => list.map((stage, position) => withProbability({ ...stage, position })))
    return [
      sql`select from pipelines where id = any (${`{${[...added.keys()].join(',')}}`}::uuid[]) order by id for update`,
      ...(made.length > 0 ? [insertEach(pipelines, made, [])] : []),
      ...(rows.length > 0 ? [insertEach(stages, rows, [], { position: AFTER_OTHERS })] : []),
      ...complete(pipelines, made),
      ...complete(stages, rows),
    ]
  }
}

const AFTER_OTHERS = sql`r.position + (select coalesce(max(s.position) + 1, 0) from stages s where s.pipeline_id = r.pipeline_id)`

/** The stages of a new pipeline: those that are named, those that an opportunity begins in first, and of each kind at least one. */
function completed(pipeline_id: string, named: Stage[]): Stage[] {
  return STAGE_KINDS.flatMap((kind) => {
    const own = named.filter((stage) => stage.pipeline_id === pipeline_id && stage.kind === kind)
    const { name } = DEFAULT_STAGES.find((stage) => stage.kind === kind) as { name: string }
    return own.length > 0 ? own : [{ id: newId(), pipeline_id, name, kind }]
  })
}

/** Asserts that nobody has created one of the same name since the lookup. @throws CONFLICT with `again`: look up again. */
function complete(table: typeof pipelines | typeof stages, rows: { id: string }[]): Statement[] {
  const ids = `{${rows.map(({ id }) => id).join(',')}}`
  return rows.length === 0
    ? []
    : [
        assert(
          sql`(select count(*) from ${table} t where t.id = any (${ids}::uuid[])) = ${rows.length}::int`,
          'CONFLICT',
          'A pipeline or stage of this import came to be there meanwhile',
          { again: true },
        ),
      ]
}
