import { Hono } from 'hono'
import * as v from 'valibot'
import { componentInstances, productComponents } from '../schema/index.ts'
import {
  createComponent,
  createComponents,
  createInstance,
  createInstances,
  makeInstances,
  updateComponent,
  updateInstance,
} from '../src/features/components/plans/components.ts'
import {
  ComponentInstance,
  ComponentPatch,
  Components,
  FromOpportunity,
  InstancePatch,
  Instances,
  MadeInstances,
  NewComponent,
  NewInstance,
  ProductComponent,
} from '../src/features/components/schemas/components.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id, SingleLine } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const productComponentsRouter = new Hono<App>()
export const productComponentsApi = endpoints(productComponentsRouter, { path: CRM.productComponents, tag: 'Product Components' })
export const componentInstancesRouter = new Hono<App>()
export const componentInstancesApi = endpoints(componentInstancesRouter, { path: CRM.componentInstances, tag: 'Component Instances' })

resource(productComponentsApi, {
  name: 'product_component',
  plural: 'product_components',
  scope: 'products',
  table: productComponents,
  returns: ProductComponent,
  list: { filters: { product_id: v.optional(Id), type: v.optional(SingleLine(80)) } },
  get: {},
  create: { body: NewComponent, plan: createComponent },
  update: { body: ComponentPatch, plan: updateComponent },
  remove: { description: 'Components that it contains are kept, and belong to no other component then. Instances keep what they have.' },
  history: true,
})
productComponentsApi.post(
  '/bulk',
  {
    id: 'bulkCreateProductComponents',
    summary: 'Create up to 500 product components',
    access: scopes('products:write'),
    body: Components,
    returns: bulkResult(ProductComponent),
    limits: { body: 8_000_000 },
  },
  ({ body }) => createComponents(body.components),
)

resource(componentInstancesApi, {
  name: 'component_instance',
  plural: 'component_instances',
  param: 'instance_id',
  scope: 'products',
  table: componentInstances,
  returns: ComponentInstance,
  list: { filters: { opportunity_id: v.optional(Id), product_id: v.optional(Id), status: v.optional(SingleLine(80)) } },
  get: {},
  create: { body: NewInstance, plan: createInstance },
  update: { body: InstancePatch, plan: updateInstance },
  remove: {},
  history: true,
})
componentInstancesApi.post(
  '/bulk',
  {
    id: 'bulkCreateComponentInstances',
    summary: 'Create up to 500 component instances',
    access: scopes('products:write'),
    body: Instances,
    returns: bulkResult(ComponentInstance),
    limits: { body: 8_000_000 },
  },
  ({ body }) => createInstances(body.instances),
)
componentInstancesApi.post(
  '/from-opportunity',
  {
    id: 'makeComponentInstances',
    summary: "Make the component instances of an opportunity's line items",
    description:
      'Makes an instance of each component of the products of the line items, unless there is one. ' +
      'At most 500 for each call: repeat it until `made` is 0. With component_instances_on_win in the CRM settings, ' +
      'winning an opportunity does the same.',
    access: scopes('products:write', 'opportunities:read'),
    body: FromOpportunity,
    returns: MadeInstances,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => makeInstances(ctx, body.opportunity_id),
)
