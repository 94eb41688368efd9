import { isoInstant } from '../../kernel/clock';
import type { FunctionConfiguration } from '../function/function-configuration';
import { type Outcome, timeoutText } from '../invocation';

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
