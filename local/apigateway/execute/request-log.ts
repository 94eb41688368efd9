import type { Measurement, MetricSink } from '../../kernel/telemetry';
import type { Recorder } from '../../kernel/trace';
import { withContext } from '../mapping/template-variables';
import type { GatewayFailure } from '../model/gateway-response';
import { settingFor } from '../model/rest-api';
import type { GatewayLog } from '../ports';
import type { ApiGatewayTraceEvent } from '../trace-events';
import type { ClientAnswer } from './client-answer';
import type { Exchange } from './exchange';

interface RequestLogDependencies {
  readonly log: GatewayLog;
  readonly metrics: MetricSink;
  readonly trace: Recorder<ApiGatewayTraceEvent>;
}

interface Ending {
  readonly answer: ClientAnswer;
  readonly failure: GatewayFailure | undefined;
  readonly latencyMs: number;
}

/** Records an answered request in the trace, the metrics, the access log and the execution log. */
export function logRequest(exchange: Exchange, ending: Ending, neighbours: RequestLogDependencies): void {
  const { answer, failure, latencyMs } = ending;
  Object.assign(exchange.context, {
    status: answer.status,
    responseLength: Buffer.byteLength(answer.body),
    responseLatency: latencyMs,
    integrationLatency: exchange.integrationLatencyMs,
  });
  neighbours.trace.record({
    type: 'apigateway.request',
    apiId: exchange.api.id,
    stage: exchange.stage.name,
    requestId: exchange.requestId,
    method: exchange.request.method,
    path: exchange.path,
    status: answer.status,
    latencyMs,
    ...(failure ? { responseType: failure.type, reason: failure.message } : {}),
  });
  putMetrics(exchange, ending, neighbours.metrics);
  writeLogs(exchange, ending, neighbours.log);
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html */
function putMetrics(exchange: Exchange, ending: Ending, metrics: MetricSink): void {
  const { integrationLatencyMs } = exchange;
  const { answer, latencyMs } = ending;
  const isOfHundred = (hundred: number): number => (Math.floor(answer.status / 100) === hundred ? 1 : 0);
  for (const dimensions of dimensionSets(exchange)) {
    const put = (name: string, value: number, unit: string): void =>
      metrics.put({ namespace: 'AWS/ApiGateway', name, dimensions, value, unit });
    put('Count', 1, 'Count');
    put('4XXError', isOfHundred(4), 'Count');
    put('5XXError', isOfHundred(5), 'Count');
    put('Latency', latencyMs, 'Milliseconds');
    if (integrationLatencyMs !== undefined) put('IntegrationLatency', integrationLatencyMs, 'Milliseconds');
  }
}

/** The dimensions of the API, of its stage, and of the method if the stage has detailed metrics. */
function dimensionSets({ api, stage, match, request }: Exchange): readonly Measurement['dimensions'][] {
  const ofStage = { ApiName: api.name, Stage: stage.name };
  const sets: Measurement['dimensions'][] = [{ ApiName: api.name }, ofStage];
  if (match && settingFor(stage, match.resource.path, request.method)?.metricsEnabled) {
    sets.push({ ...ofStage, Resource: match.resource.path, Method: request.method });
  }
  return sets;
}

function writeLogs(exchange: Exchange, { answer, failure }: Ending, log: GatewayLog): void {
  const { stage, match, requestId, request, api } = exchange;
  if (stage.accessLog) {
    const line = withContext(stage.accessLog.format, exchange.context, '-');
    log.write(stage.accessLog.logGroupName, stage.logStreamName, line);
  }
  if (!match) return;
  const level = settingFor(stage, match.resource.path, request.method)?.loggingLevel ?? 'OFF';
  const ended = failure ? failure.message : 'Successfully completed execution';
  const lines = {
    OFF: [],
    ERROR: failure ? [ended, `Method completed with status: ${answer.status}`] : [],
    INFO: [
      `Starting execution for request: ${requestId}`,
      `HTTP Method: ${request.method}, Resource Path: ${match.resource.path}`,
      ended,
      `Method completed with status: ${answer.status}`,
    ],
  }[level];
  const groupName = `API-Gateway-Execution-Logs_${api.id}/${stage.name}`;
  for (const line of lines) log.write(groupName, stage.logStreamName, `(${requestId}) ${line}`);
}
