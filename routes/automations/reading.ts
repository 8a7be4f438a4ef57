import * as v from 'valibot'
import { inputOf } from '../../src/features/automations/plans/actions.ts'
import type { Reader } from '../../src/features/automations/plans/engine/ask.ts'
import { MatchBody, matching } from '../../src/features/automations/plans/matching.ts'
import { previewRun } from '../../src/features/automations/plans/preview.ts'
import type { PreviewStep, StartBody } from '../../src/features/automations/schemas/automation-runs.ts'
import { type EndpointCtx, endpointOf } from '../../src/http/endpoint.ts'
import { one } from '../../src/http/modes.ts'
import { endpointFor } from '../index.ts'

/** A read that only automations make, with the rights of their publisher or of whoever asks for a preview: it is not served. */
export const matchEndpoint = endpointOf(
  'POST',
  { base: '/v1', path: '/matches', tag: 'Automations' },
  {
    id: 'matchRecords',
    summary: 'Match records',
    access: { scopes: [] },
    effect: 'read',
    body: MatchBody,
    returns: one(v.array(v.string())),
  },
  ({ ctx, body }) => matching(ctx, body),
)

/** Reads records through endpoints. `fetch` sends the request and returns its data. */
export const readerOver = (fetch: EndpointCtx['fetch']): Reader => ({
  match: (body) => fetch(matchEndpoint, { params: {}, query: {}, body }) as Promise<string[]>,
  search: ({ object, filter, limit }) =>
    endpointFor({ method: 'POST', path: `/${object}/search` }).then((endpoint) =>
      fetch(endpoint, { params: {}, query: {}, body: { filter, limit } }),
    ) as Promise<unknown[]>,
})

/** The path of a run that is only tried; undefined for one that starts. */
export const pathOf = (ctx: EndpointCtx, automation: string, body: StartBody): Promise<PreviewStep[] | undefined> =>
  ctx.isDryRun
    ? previewRun(ctx, automation, body, readerOver(ctx.fetch), (request) =>
        endpointFor(request).then((endpoint) => ctx.rehearse(endpoint, inputOf(request))),
      )
    : Promise.resolve(undefined)
