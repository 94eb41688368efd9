import type { AccessControl } from '../../kernel/access';
import { accessKeyOf } from '../../kernel/authorization';
import { accountOf, type Caller, callerName, notAuthorized } from '../../kernel/caller';
import type { Credentials } from '../../kernel/credentials';
import { arnIn, type Place } from '../../kernel/place';
import type { Exchange } from './exchange';
import { GatewayFailure } from './gateway-failure';

export interface AuthorizationDependencies {
  readonly place: Place;
  readonly access: AccessControl;
  readonly credentials: Credentials;
}

/**
 * Lets a signed request through to a method that asks for IAM authorization, if the signer may invoke it.
 *
 * @throws GatewayFailure
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

/** The ids IAM gives users and sessions are not known here, so the principal's name stands for them: our choice. */
function identity(caller: Caller, accessKey: string, partition: string): Readonly<Record<string, string>> {
  const userArn = callerName(caller, partition);
  const name = userArn.split('/').at(-1) ?? userArn;
  return { accessKey, accountId: accountOf(caller) ?? '', caller: name, user: name, userArn };
}

/** AWS hides all but four digits of the account. */
const masked = (arn: string): string => arn.replace(/:\d{8}(\d{4}):/, ':********$1:');
