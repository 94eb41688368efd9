import type { Action } from '../../kernel/api';
import type { ServiceAction } from '../../kernel/front-door';
import type { LambdaInternals } from '../desk';
import { addPermission } from './add-permission';
import { createAlias } from './create-alias';
import { createEventSourceMapping } from './create-event-source-mapping';
import { createFunction } from './create-function';
import { deleteAlias } from './delete-alias';
import { deleteEventSourceMapping } from './delete-event-source-mapping';
import { deleteFunction } from './delete-function';
import { deleteFunctionConcurrency } from './delete-function-concurrency';
import { deleteFunctionEventInvokeConfig } from './delete-function-event-invoke-config';
import { getAlias } from './get-alias';
import { getEventSourceMapping } from './get-event-source-mapping';
import { getFunction } from './get-function';
import { getFunctionConcurrency } from './get-function-concurrency';
import { getFunctionConfiguration } from './get-function-configuration';
import { getFunctionEventInvokeConfig } from './get-function-event-invoke-config';
import { getFunctionRecursionConfig } from './get-function-recursion-config';
import { getPolicy } from './get-policy';
import { invoke } from './invoke';
import { listAliases } from './list-aliases';
import { listEventSourceMappings } from './list-event-source-mappings';
import { listFunctionEventInvokeConfigs } from './list-function-event-invoke-configs';
import { listFunctions } from './list-functions';
import { listTags } from './list-tags';
import { listVersionsByFunction } from './list-versions-by-function';
import { publishVersion } from './publish-version';
import { putFunctionConcurrency } from './put-function-concurrency';
import { putFunctionEventInvokeConfig } from './put-function-event-invoke-config';
import { putFunctionRecursionConfig } from './put-function-recursion-config';
import { removePermission } from './remove-permission';
import { tagResource } from './tag-resource';
import { untagResource } from './untag-resource';
import { updateAlias } from './update-alias';
import { updateEventSourceMapping } from './update-event-source-mapping';
import { updateFunctionConfiguration } from './update-function-configuration';
import { updateFunctionEventInvokeConfig } from './update-function-event-invoke-config';

/**
 * Every API action of Lambda that this service answers, by its name. Whatever is missing, such as
 * `UpdateFunctionCode`, is a 501.
 */
export const LAMBDA_ACTIONS = {
  AddPermission: addPermission,
  CreateAlias: createAlias,
  CreateEventSourceMapping: createEventSourceMapping,
  CreateFunction: createFunction,
  DeleteAlias: deleteAlias,
  DeleteEventSourceMapping: deleteEventSourceMapping,
  DeleteFunction: deleteFunction,
  DeleteFunctionConcurrency: deleteFunctionConcurrency,
  DeleteFunctionEventInvokeConfig: deleteFunctionEventInvokeConfig,
  GetAlias: getAlias,
  GetEventSourceMapping: getEventSourceMapping,
  GetFunction: getFunction,
  GetFunctionConcurrency: getFunctionConcurrency,
  GetFunctionConfiguration: getFunctionConfiguration,
  GetFunctionEventInvokeConfig: getFunctionEventInvokeConfig,
  GetFunctionRecursionConfig: getFunctionRecursionConfig,
  GetPolicy: getPolicy,
  Invoke: invoke,
  ListAliases: listAliases,
  ListEventSourceMappings: listEventSourceMappings,
  ListFunctionEventInvokeConfigs: listFunctionEventInvokeConfigs,
  ListFunctions: listFunctions,
  ListTags: listTags,
  ListVersionsByFunction: listVersionsByFunction,
  PublishVersion: publishVersion,
  PutFunctionConcurrency: putFunctionConcurrency,
  PutFunctionEventInvokeConfig: putFunctionEventInvokeConfig,
  PutFunctionRecursionConfig: putFunctionRecursionConfig,
  RemovePermission: removePermission,
  TagResource: tagResource,
  UntagResource: untagResource,
  UpdateAlias: updateAlias,
  UpdateEventSourceMapping: updateEventSourceMapping,
  UpdateFunctionConfiguration: updateFunctionConfiguration,
  UpdateFunctionEventInvokeConfig: updateFunctionEventInvokeConfig,
};

type Declared<Entry> =
  Entry extends ServiceAction<LambdaInternals, infer Input, infer Output, infer _Target>
    ? Action<Input, Output>
    : never;

/**
 * The actions as callers see them. `Invoke` answers at once for `Event` and `DryRun`, and by a promise that due work
 * resolves for `RequestResponse`.
 */
export type LambdaActions = { readonly [Name in keyof typeof LAMBDA_ACTIONS]: Declared<(typeof LAMBDA_ACTIONS)[Name]> };
