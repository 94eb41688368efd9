import { isObject, type JsonObject, parseObject } from '../../policy/json-members';
import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import { matchesStatus } from '../../template/status-pattern';
import type { ServiceCallFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';

/** The resource of a task that sends a message: by an optimized integration, or by one with the AWS SDK. */
const SENDING_TASK = /:states:::(?:aws-sdk:)?(sqs|sns):(?:sendMessage|publish)/i;

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A state, by name, and whether it or a state around it catches errors. */
interface State {
  readonly name: string;
  readonly definition: JsonObject;
  readonly isCaught: boolean;
}

function statesOf(machine: JsonObject, isCaught = false): State[] {
  const states = isObject(machine['States']) ? Object.entries(machine['States']) : [];
  return states.flatMap(([name, definition]): State[] => {
    if (!isObject(definition)) return [];
    const catches = isCaught || objectsIn(definition['Catch']).length > 0;
    const inner = [...objectsIn(definition['Branches']), definition['ItemProcessor'], definition['Iterator']];
    const within = inner.filter(isObject).flatMap(it => statesOf(it, catches));
    return [{ name, definition, isCaught: catches }, ...within];
  });
}

/** The definition of a state machine, which CDK writes as JSON text; undefined if it is only known at deployment. */
function definitionOf(machine: ResourceReading): JsonObject | undefined {
  const text = machine.given('DefinitionString').text(undefined);
  if (typeof text === 'string') return parseObject(text);
  const given = machine.given('Definition').json();
  return isObject(given) && isKnown(given) ? given : undefined;
}

function ofStateMachine(machine: ResourceReading): ServiceCallFacts[] {
  const definition = definitionOf(machine);
  const states = definition === undefined ? [] : statesOf(definition);
  return states.flatMap(({ name: state, definition: { Type, Resource }, isCaught }): ServiceCallFacts[] => {
    const [, service] = SENDING_TASK.exec(Type === 'Task' && typeof Resource === 'string' ? Resource : '') ?? [];
    if (service === undefined) return [];
    return [{ ...machine.as(machine.ref), kind: 'state', service, state, isCaught }];
  });
}

/** The integration of a method that calls SQS or SNS: `arn:aws:apigateway:eu-west-1:sqs:path/123456789012/orders`. */
const SENDING_URI = /:apigateway:[^:]*:(sqs|sns):(?:path|action)\//;

/** The requests of SQS and SNS that send: others read queues and delete messages. */
const SENDING_REQUEST = /SendMessage|Publish/;

const SUCCESS = /^2\d\d$/;
const ERRORS = ['400', '403', '500', '503'];

/** A pattern that cannot be read, such as one that only Java knows, may match. */
const matches = (pattern: string, status: string): boolean => matchesStatus(pattern, status) ?? true;

/**
 * The errors that a method answers with a success. A response without a pattern applies to every status that no pattern
 * matches.
 */
function errorsAnsweredAsSuccess(integration: PropertyValue): MaybeKnown<readonly string[]> {
  const responses = integration.at('IntegrationResponses').list();
  if (!isKnown(responses)) return responses;
  const patterns: string[] = [];
  let hidesOthers = false;
  for (const response of responses) {
    const pattern = response.at('SelectionPattern').text(undefined);
    const status = response.at('StatusCode').requiredText();
    if (!isKnown(pattern)) return pattern;
    if (!isKnown(status)) return status;
    if (pattern !== undefined && pattern !== '') patterns.push(pattern);
    else if (SUCCESS.test(status)) hidesOthers = true;
  }
  return hidesOthers ? ERRORS.filter(status => !patterns.some(it => matches(it, status))) : [];
}

function ofMethod(method: ResourceReading): ServiceCallFacts[] {
  const integration = method.given('Integration');
  const [uri, type] = [integration.at('Uri').text(undefined), integration.at('Type').text(undefined)];
  const [, service] = SENDING_URI.exec(typeof uri === 'string' ? uri : '') ?? [];
  if (service === undefined || type !== 'AWS') return [];
  const request = [uri, integration.at('RequestTemplates').json(), integration.at('RequestParameters').json()];
  if (!SENDING_REQUEST.test(JSON.stringify(request))) return [];
  return [{ ...method.as(method.ref), kind: 'method', service, hiddenErrors: errorsAnsweredAsSuccess(integration) }];
}

/** The calls of SQS and SNS by the state machines and REST APIs in an app's templates. */
export function readServiceCalls(app: AppReading): ServiceCallFacts[] {
  return [
    ...app.resources('AWS::StepFunctions::StateMachine').flatMap(ofStateMachine),
    ...app.resources('AWS::ApiGateway::Method').flatMap(ofMethod),
  ];
}
