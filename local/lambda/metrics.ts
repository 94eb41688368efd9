import type { MetricSink } from '../kernel/telemetry';
import { LATEST } from './function/function-configuration';
import { isAliasName, qualified } from './function/function-name';

/** @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
type CountMetric =
  | 'Invocations'
  | 'Errors'
  | 'Throttles'
  | 'DeadLetterErrors'
  | 'DestinationDeliveryFailures'
  | 'AsyncEventsReceived'
  | 'AsyncEventsDropped'
  | 'RecursiveInvocationsDropped';
type DurationMetric = 'Duration' | 'AsyncEventAge';

type Dimensions = Readonly<Record<string, string>>;

const NAMESPACE = 'AWS/Lambda';
const ALL_FUNCTIONS: Dimensions = {};

/**
 * The metrics of one function as it is invoked, by AWS's names: under its name, under none for all functions, and for a
 * version or alias under `Resource` as well; an alias tells apart the versions it goes to.
 */
export class FunctionMetrics {
  private readonly ofFunction: Dimensions;
  private readonly dimensions: readonly Dimensions[];
  private readonly resource: string | undefined;
  private readonly reportsVersions: boolean;

  constructor(
    functionName: string,
    qualifier: string | undefined,
    private readonly sink: MetricSink,
  ) {
    this.ofFunction = { FunctionName: functionName };
    this.resource = qualifier === undefined ? undefined : qualified(functionName, qualifier);
    const ofResource = this.resource === undefined ? [] : [{ FunctionName: functionName, Resource: this.resource }];
    this.dimensions = [this.ofFunction, ...ofResource, ALL_FUNCTIONS];
    this.reportsVersions = isAliasName(qualifier ?? LATEST);
  }

  /** @param executedVersion the version an invocation went to, where it went to one */
  count(name: CountMetric, value = 1, executedVersion?: string): void {
    this.put(name, value, undefined, executedVersion);
  }

  milliseconds(name: DurationMetric, value: number, executedVersion?: string): void {
    this.put(name, value, 'Milliseconds', executedVersion);
  }

  /** How many invocations of the function, and of all functions, run now. */
  concurrent(ofFunction: number, ofAll: number): void {
    const measurement = { namespace: NAMESPACE, name: 'ConcurrentExecutions' };
    this.sink.put({ ...measurement, dimensions: this.ofFunction, value: ofFunction });
    this.sink.put({ ...measurement, dimensions: ALL_FUNCTIONS, value: ofAll });
  }

  private put(name: string, value: number, unit: string | undefined, executedVersion: string | undefined): void {
    for (const dimensions of this.dimensions) this.sink.put({ namespace: NAMESPACE, name, dimensions, value, unit });
    if (!this.reportsVersions || this.resource === undefined || executedVersion === undefined) return;
    const dimensions = { ...this.ofFunction, Resource: this.resource, ExecutedVersion: executedVersion };
    this.sink.put({ namespace: NAMESPACE, name, dimensions, value, unit });
  }
}
