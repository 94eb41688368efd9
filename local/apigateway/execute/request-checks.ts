import { ownMember } from '../../../policy/json-members';
import type { AccessControl, Credentials } from '../../kernel/access';
import { accountOf, type Caller, callerName, notAuthorized } from '../../kernel/caller';
import { parseJson } from '../../kernel/json';
import { arnIn, type Place } from '../../kernel/place';
import { accessKeyOf } from '../../kernel/request-signature';
import { type ParameterLocation, parameterAt } from '../mapping/template-variables';
import { GatewayFailure } from '../model/gateway-response';
import { contentTypeOf, type Exchange } from './exchange';

interface AuthorizationDependencies {
  readonly place: Place;
  readonly access: AccessControl;
  readonly credentials: Credentials;
}

/**
 * Checks a request to a method with IAM authorization: it must be signed, and the signer must be allowed to invoke the
 * method.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/permissions.html
 */
export function authorize(exchange: Exchange, { place, access, credentials }: AuthorizationDependencies): void {
  if (exchange.match?.method.authorization !== 'AWS_IAM') return;
  const { request, stage, api, path } = exchange;
  const accessKeyId = accessKeyOf(request);
  if (accessKeyId === undefined) {
    if (request.headers['authorization'] === undefined) {
      throw new GatewayFailure('MISSING_AUTHENTICATION_TOKEN', 'Missing Authentication Token');
    }
    throw new GatewayFailure('INVALID_SIGNATURE', "Authorization header requires 'Credential' parameter.");
  }
  const caller = credentials.caller(accessKeyId);
  exchange.context['identity'] = {
    ...Object(exchange.context['identity']),
    ...identity(caller, accessKeyId, place.partition),
  };
  const resource = arnIn(place, 'execute-api', `${api.id}/${stage.name}/${request.method}${path}`);
  const { allowed, reason } = access.decide({ caller, action: 'execute-api:Invoke', resource });
  if (allowed) return;
  const reported = notAuthorized(caller, place.partition, 'execute-api:Invoke', masked(resource));
  throw new GatewayFailure('ACCESS_DENIED', reason, reported);
}

/**
 * The identity of the caller. IAM's ids of users and sessions are not simulated, so it uses the principal's name
 * instead.
 */
function identity(caller: Caller, accessKey: string, partition: string): Readonly<Record<string, string>> {
  const userArn = callerName(caller, partition);
  const name = userArn.split('/').at(-1) ?? userArn;
  return { accessKey, accountId: accountOf(caller) ?? '', caller: name, user: name, userArn };
}

/** AWS hides all but four digits of the account. */
const masked = (arn: string): string => arn.replace(/:\d{8}(\d{4}):/, ':********$1:');

/** The longest body that API Gateway accepts. */
const LONGEST_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Checks a request against what its method requires, if the method has a validator.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-method-request-validation.html
 */
export function validate(exchange: Exchange): void {
  if (exchange.request.body.byteLength > LONGEST_BODY_BYTES) {
    throw new GatewayFailure('REQUEST_TOO_LARGE', `The body has ${exchange.request.body.byteLength} bytes`);
  }
  const { requestValidatorId } = exchange.match?.method ?? {};
  if (requestValidatorId === undefined) return;
  const validator = exchange.stage.deployment.validators.get(requestValidatorId);
  if (validator?.validateRequestParameters) validateParameters(exchange);
  if (validator?.validateRequestBody) validateBody(exchange);
}

function validateParameters({ match, parameters }: Exchange): void {
  const missing = Object.entries(match?.method.requestParameters ?? {})
    .filter(([, isRequired]) => isRequired)
    .map(([parameter]) => parameter.split('.').slice(2))
    .filter(([location, ...name]) => !parameterAt(parameters, location as ParameterLocation, name.join('.')))
    .map(([, ...name]) => name.join('.'));
  if (missing.length > 0) {
    const text = `Missing required request parameters: [${missing.join(', ')}]`;
    throw new GatewayFailure('BAD_REQUEST_PARAMETERS', text, text);
  }
}

/** Checks the body, unless its content type has no model. */
function validateBody({ match, request, body, stage }: Exchange): void {
  const models = match?.method.requestModels ?? {};
  const model = ownMember(models, contentTypeOf(request.headers)) ?? models['$default'];
  if (model === undefined) return;
  const problems = stage.deployment.schemas.problems(model, parsedBody(body));
  if (problems.length > 0) {
    throw new GatewayFailure('BAD_REQUEST_BODY', `Request body does not match model schema: ${problems.join('; ')}`);
  }
}

function parsedBody(body: string): unknown {
  const text = body === '' ? '{}' : body;
  return parseJson(text, words => new GatewayFailure('BAD_REQUEST_BODY', `Request body is not JSON: ${words}`));
}
