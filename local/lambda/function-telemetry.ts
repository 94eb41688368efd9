import { isoInstant } from '../kernel/clock';
import type { MetricSink } from '../kernel/telemetry';
import { type FunctionConfiguration, isAliasName, LATEST, qualified } from './function/function-configuration';
import { type Outcome, timeoutText } from './invocation';

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
type DurationMetric = 'Duration' | 'AsyncEventAge' | 'IteratorAge';

type Dimensions = Readonly<Record<string, string>>;

const NAMESPACE = 'AWS/Lambda';
const ALL_FUNCTIONS: Dimensions = {};

/**
 * Reports Lambda's metrics of one function: with the dimension `FunctionName`, without dimensions for all functions,
 * and with `Resource` for a version or an alias. The metrics of an alias also tell apart the versions it routes to.
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

  /** @param executedVersion the version that was invoked, if the function ran */
  count(name: CountMetric, value = 1, executedVersion?: string): void {
    this.put(name, value, undefined, executedVersion);
  }

  milliseconds(name: DurationMetric, value: number, executedVersion?: string): void {
    this.put(name, value, 'Milliseconds', executedVersion);
  }

  /** Reports the running invocations of the function, and of all functions. */
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

/**
 * Writes the lines with which Lambda surrounds the logs of an invocation, as text or as JSON. "Max Memory Used" is left
 * out, because it differs from run to run. Computing takes no virtual time, only waiting does; the billed duration is
 * at least 1 ms, as on AWS.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-view.html
 */
export class PlatformLog {
  constructor(
    private readonly configuration: FunctionConfiguration,
    private readonly write: (message: string) => void,
  ) {}

  initStart(nowMs: number): void {
    const { runtime, functionName, version: functionVersion } = this.configuration;
    this.line(nowMs, `INIT_START Runtime Version: ${runtime}`, 'initStart', {
      initializationType: 'on-demand',
      phase: 'init',
      runtimeVersion: runtime,
      functionName,
      functionVersion,
    });
  }

  /** Lambda writes this line only for a failed init phase. */
  initReport(nowMs: number, durationMs: number, status: 'error' | 'timeout', errorType?: string): void {
    const type = errorType ? `\tError Type: ${errorType}` : '';
    const text = `INIT_REPORT Init Duration: ${ms(durationMs)} ms\tPhase: init\tStatus: ${status}${type}`;
    this.line(nowMs, text, 'initReport', { phase: 'init', status, errorType, metrics: { durationMs } });
  }

  start(nowMs: number, requestId: string): void {
    const { version } = this.configuration;
    this.line(nowMs, `START RequestId: ${requestId} Version: ${version}`, 'start', { requestId, version });
  }

  /** Writes the end of a run: its duration, and its error unless the function's code has logged it. */
  end(nowMs: number, requestId: string, outcome: Outcome, initDurationMs?: number): void {
    const { timeoutSeconds, memorySizeMb } = this.configuration;
    const json = this.configuration.logging.logFormat === 'JSON';
    if (outcome.kind === 'timeout' && !json) {
      this.write(`${isoInstant(nowMs)} ${requestId} ${timeoutText(timeoutSeconds)}\n`);
    }
    const errorType = outcome.kind === 'success' ? undefined : outcome.error.errorType;
    const status = reportedStatus(outcome);
    const billedMs = Math.max(1, Math.ceil(outcome.durationMs));
    if (!json) this.write(`END RequestId: ${requestId}`);
    const parts = [
      `REPORT RequestId: ${requestId}`,
      `Duration: ${ms(outcome.durationMs)} ms`,
      `Billed Duration: ${billedMs} ms`,
      `Memory Size: ${memorySizeMb} MB`,
      ...(initDurationMs === undefined ? [] : [`Init Duration: ${ms(initDurationMs)} ms`]),
      ...(status === 'success' ? [] : [`Status: ${status}`]),
      ...(status === 'error' ? [`Error Type: ${errorType}`] : []),
    ];
    this.line(nowMs, parts.join('\t'), 'report', {
      requestId,
      status: outcome.kind === 'success' ? 'success' : status === 'success' ? 'error' : status,
      ...(errorType && { errorType }),
      metrics: {
        durationMs: outcome.durationMs,
        billedDurationMs: billedMs,
        memorySizeMB: memorySizeMb,
        initDurationMs,
      },
    });
  }

  private line(nowMs: number, text: string, type: string, record: object): void {
    const { logFormat, systemLogLevel } = this.configuration.logging;
    if (logFormat === 'Text') this.write(text);
    else if (systemLogLevel !== 'WARN') {
      this.write(JSON.stringify({ time: isoInstant(nowMs), type: `platform.${type}`, record }));
    }
  }
}

/** A report in text format has a status only if the platform ended the run. */
function reportedStatus(outcome: Outcome): 'success' | 'error' | 'timeout' {
  if (outcome.kind === 'timeout') return 'timeout';
  if (outcome.kind === 'success') return 'success';
  return /^Runtime\.(ExitError|OutOfMemory)$/.test(outcome.error.errorType) ? 'error' : 'success';
}

const ms = (durationMs: number): string => durationMs.toFixed(2);
