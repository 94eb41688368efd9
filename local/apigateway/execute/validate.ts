import { parseJson } from '../../kernel/json-problem';
import { type ParameterLocation, parameterAt } from '../mapping/input';
import { contentTypeOf, type Exchange } from './exchange';
import { GatewayFailure } from './gateway-failure';

/** The longest body API Gateway takes. */
const LONGEST_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Holds a request against what its method requires, as far as the method has a validator.
 *
 * @throws GatewayFailure
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

/** A body whose content type has no model is not looked at. */
function validateBody({ match, request, body, stage }: Exchange): void {
  const models = match?.method.requestModels ?? {};
  const model = models[contentTypeOf(request.headers)] ?? models['$default'];
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
