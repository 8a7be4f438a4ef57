import * as v from 'valibot'
import { group } from '../src/http/endpoint.ts'
import { Change } from '../src/schemas/common.ts'
import { pageQuery } from '../src/schemas/fields.ts'
import { Workspace, WorkspacePatch } from '../src/schemas/workspace.ts'
import { getWorkspace, listOwnChanges, updateWorkspace } from '../src/services/settings/workspace.ts'

export const companyApi = group('/company', 'Company')

companyApi.get('', { id: 'getWorkspace', summary: 'Get the workspace', scopes: ['company:read'], returns: Workspace }, () => getWorkspace())
companyApi.patch(
  '',
  {
    id: 'updateWorkspace',
    summary: 'Update the workspace',
    scopes: ['company:write'],
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
    scopes: ['company:read'],
    query: v.strictObject(pageQuery),
    returns: Change,
    list: true,
  },
  ({ query }) => listOwnChanges('workspace', query),
)
