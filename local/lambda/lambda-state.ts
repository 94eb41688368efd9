import type { EventQueue } from './asynchronous/event-queue';
import type { Concurrency } from './environment/concurrency';
import type { Mappings } from './event-source/event-source-mapping';
import type { DeployedFunction } from './function/deployed-function';
import type { NewFunction } from './function/function-configuration';
import type { FunctionDirectory } from './function/function-directory';
import type { LambdaDependencies } from './ports';
import type { LambdaContext } from './trace-events';

/** The state and the services that the API actions use. */
export interface LambdaState {
  readonly context: LambdaContext;
  readonly dependencies: LambdaDependencies;
  readonly functions: FunctionDirectory;
  readonly mappings: Mappings;
  /** Lambda's internal queue for asynchronous invocations. */
  readonly events: EventQueue;
  /** Running invocations and their limits. */
  readonly concurrency: Concurrency;
  /** @throws AwsError `ResourceConflictException` when a function with this name exists */
  readonly createFunction: (wanted: NewFunction) => DeployedFunction;
  /** Writes code to a temporary folder. @returns the folder */
  readonly codeFolder: (files: Readonly<Record<string, Uint8Array>>) => string;
}
