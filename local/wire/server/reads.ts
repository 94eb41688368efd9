import { awsHostName } from '../../network/addresses';
import { requestedAction } from '../aws-host';
import { SNS_MODEL } from '../models';
import { ANY, ServiceModel } from '../service-model';
import type { ClientRequest } from './client-request';
import type { Destination } from './routes';

/** HTTP defines that a request with any other method changes nothing: links, images and forms of any page can send those. */
const CHANGING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The first words of actions that only read. All others may change something. */
const READS = /^(BatchGet|Check|Describe|Filter|Get|List|Query|Scan|Simulate|Test|TransactGet)(?![a-z])/;

/** They make credentials, or draw from the random numbers of the simulation. */
const CHANGE_DESPITE_THEIR_NAMES: readonly string[] = ['GetFederationToken', 'GetRandomPassword', 'GetSessionToken'];

export const isRead = (action: string): boolean => READS.test(action) && !CHANGE_DESPITE_THEIR_NAMES.includes(action);

/**
 * Finds every action that any service could see in a request, except those that method and path identify: of these, GET
 * only reads.
 */
const ANY_SERVICE = new ServiceModel({ name: 'aws', targetPrefix: ANY }, () => ({}));

/**
 * The action that a request of a method such as GET would carry out although it changes something; undefined when it may
 * pass. AWS accepts it in the query protocol. Here, a page of any site could then change the simulation with a link. The links
 * that SNS sends may pass. So may requests to deployed APIs, whose methods mean what their owner wants.
 */
export function changeBySafeMethod(
  request: Pick<ClientRequest, 'method' | 'headers' | 'body'>,
  destination: Destination,
  urlSuffix: string,
): string | undefined {
  const { method } = request;
  if (CHANGING_METHODS.includes(method) || isDeployedApi(destination.host, urlSuffix)) return undefined;
  const action = requestedAction(ANY_SERVICE, { ...request, ...destination, protocol: 'https', port: 443 });
  if (action === undefined || isRead(action) || (method === 'GET' && LINKS.includes(action))) return undefined;
  return action;
}

const LINKS: readonly string[] = SNS_MODEL.unsignedActions === ANY ? [] : SNS_MODEL.unsignedActions;

export function isDeployedApi(host: string, urlSuffix: string): boolean {
  return awsHostName(host, urlSuffix)?.service === 'execute-api';
}
