import type { Action, ServiceAction } from '../../kernel/service-api';
import type { LambdaState } from '../lambda-state';
import { createAlias, deleteAlias, getAlias, listAliases, updateAlias } from './aliases';
import { createFunction, deleteFunction, updateFunctionCode, updateFunctionConfiguration } from './create-function';
import {
  getFunction,
  getFunctionConfiguration,
  listFunctions,
  listVersionsByFunction,
  publishVersion,
} from './describe-function';
import {
  deleteFunctionEventInvokeConfig,
  getFunctionEventInvokeConfig,
  listFunctionEventInvokeConfigs,
  putFunctionEventInvokeConfig,
  updateFunctionEventInvokeConfig,
} from './event-invoke-configs';
import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from './event-source-mappings';
import {
  deleteFunctionConcurrency,
  getFunctionConcurrency,
  getFunctionRecursionConfig,
  putFunctionConcurrency,
  putFunctionRecursionConfig,
} from './function-settings';
import { invoke } from './invoke';
import { addPermission, getPolicy, removePermission } from './permissions';
import { listTags, tagResource, untagResource } from './tags';

/** The implemented API actions by name. Others are answered with 501. */
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
  UpdateFunctionCode: updateFunctionCode,
  UpdateFunctionConfiguration: updateFunctionConfiguration,
  UpdateFunctionEventInvokeConfig: updateFunctionEventInvokeConfig,
};

type Declared<Entry> =
  Entry extends ServiceAction<LambdaState, infer Input, infer Output, infer _Target> ? Action<Input, Output> : never;

/**
 * The signatures of the actions. `Invoke` returns immediately for `Event` and `DryRun`. For `RequestResponse` it
 * returns a promise that due work resolves.
 */
export type LambdaActions = { readonly [Name in keyof typeof LAMBDA_ACTIONS]: Declared<(typeof LAMBDA_ACTIONS)[Name]> };
