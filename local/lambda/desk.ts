import type { EventQueue } from './asynchronous/event-queue';
import type { Concurrency } from './environment/concurrency';
import type { Mappings } from './event-source/mappings';
import type { DeployedFunction } from './function/deployed-function';
import type { NewFunction } from './function/function-configuration';
import type { FunctionDirectory } from './function/function-directory';
import type { LambdaContext, LambdaNeighbours } from './ports';

/** What the actions of Lambda work on. */
export interface LambdaInternals {
  readonly context: LambdaContext;
  readonly neighbours: LambdaNeighbours;
  readonly functions: FunctionDirectory;
  readonly mappings: Mappings;
  /** Lambda's own queue for asynchronous invocations. */
  readonly events: EventQueue;
  /** How many invocations run, and how many may. */
  readonly concurrency: Concurrency;
  /** @throws AwsError `ResourceConflictException` when there is a function of this name */
  readonly createFunction: (wanted: NewFunction) => DeployedFunction;
  /** A folder for code that lies in none. */
  readonly codeFolder: (files: Readonly<Record<string, Uint8Array>>) => string;
}
