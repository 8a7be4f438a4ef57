import { Hono } from 'hono'
import * as v from 'valibot'
import { getWorkspace, listOwnChanges, updateWorkspace } from '../../src/features/settings/plans/workspace.ts'
import { Workspace, WorkspacePatch } from '../../src/features/settings/schemas/workspace.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Change } from '../../src/schemas/common.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const companyRouter = new Hono<App>()
export const companyApi = endpoints(companyRouter, { path: WORKSPACE.company, tag: 'Company' })

companyApi.get('', { id: 'getWorkspace', summary: 'Get the workspace', access: scopes('company:read'), returns: Workspace }, () =>
  getWorkspace(),
)
companyApi.patch(
  '',
  {
    id: 'updateWorkspace',
    summary: 'Update the workspace',
    access: scopes('company:write'),
    body: WorkspacePatch,
    returns: Workspace,
    errors: ['CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => updateWorkspace(ctx, body),
)
companyApi.get(
  '/history',
  {
    id: 'listWorkspaceHistory',
    summary: "List the workspace's change history",
    access: scopes('company:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(Change),
  },
  ({ query }) => listOwnChanges('workspace', query),
)
