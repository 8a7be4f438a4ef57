import type * as v from 'valibot'
import type { Children } from '../src/data/children.ts'
import { NewFollower } from '../src/features/followers/schemas/followers.ts'
import { children, type ParentRecord } from '../src/http/children.ts'
import type { Schema } from '../src/http/endpoint.ts'
import { scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal, withArticle } from '../src/lib/nouns.ts'

/** Registers the followers of a kind of record. */
export function registerFollowers<S extends Schema>(
  api: Api,
  parent: ParentRecord,
  returns: S,
  rows: Children<v.InferOutput<S>, v.InferOutput<typeof NewFollower>, object>,
): void {
  const { name, scope } = parent
  children(api, {
    parent,
    path: '/followers',
    name: 'follower',
    key: 'user_id',
    rows,
    returns,
    access: { read: scopes(`${scope}:read`), write: scopes(`${scope}:write`), remove: scopes(`${scope}:write`) },
    list: { summary: `List the members who follow ${withArticle(name)}` },
    create: {
      id: `add${pascal(name)}Follower`,
      summary: `Have a member follow ${withArticle(name)}`,
      description:
        'If the member follows it already, nothing changes. Followers receive the emails of `followers_of` in POST /messages/notify ' +
        `and in automations, and \`followed_by\` finds their ${parent.scope}.`,
      body: NewFollower,
      again: true,
    },
    remove: { id: `remove${pascal(name)}Follower`, summary: `End that a member follows ${withArticle(name)}` },
  })
}
