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

/**
 * The lines Lambda itself writes around an invocation, as text or as JSON. "Max Memory Used" is left out: it differs from
 * run to run. Code takes no virtual time, only waiting does; a run is billed at least 1 ms all the same.
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

  /** Written only when the init phase went wrong. */
  initReport(nowMs: number, durationMs: number, status: 'error' | 'timeout', errorType?: string): void {
    const type = errorType ? `\tError Type: ${errorType}` : '';
    const text = `INIT_REPORT Init Duration: ${ms(durationMs)} ms\tPhase: init\tStatus: ${status}${type}`;
    this.line(nowMs, text, 'initReport', { phase: 'init', status, errorType, metrics: { durationMs } });
  }

  start(nowMs: number, requestId: string): void {
    const { version } = this.configuration;
    this.line(nowMs, `START RequestId: ${requestId} Version: ${version}`, 'start', { requestId, version });
  }

  /** The end of a run: what went wrong, if anything the code did not log itself, and what it took. */
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

/** A text report says how a run ended only when the platform had to end it. */
function reportedStatus(outcome: Outcome): 'success' | 'error' | 'timeout' {
  if (outcome.kind === 'timeout') return 'timeout';
  if (outcome.kind === 'success') return 'success';
  return /^Runtime\.(ExitError|OutOfMemory)$/.test(outcome.error.errorType) ? 'error' : 'success';
}

const ms = (durationMs: number): string => durationMs.toFixed(2);
