import type { Place } from '../../kernel/place';
import { credentialScopeOf } from '../../kernel/request-signature';
import { awsHostName } from '../../network/addresses';
import { SERVICE_MODELS } from '../models';
import type { ServiceModel } from '../service-model';

/** The parts of a request that identify its destination. */
interface Addressed {
  /** The path with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A host of AWS, and the path there. */
export interface Destination {
  readonly host: string;
  readonly path: string;
}

const API = /^\/_aws\/execute-api\/([a-z0-9]+)(\/.*)?$/;
const FORM = 'application/x-www-form-urlencoded';
/** Clients send action and version in the first bytes. */
const FORM_START_BYTES = 4_096;

/** Services by paths that only they use. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/20\d\d-\d\d-\d\d\//, 'lambda'],
  [/^\/schedule(s|-groups)(\/|\?|$)/, 'scheduler'],
  [/^\/\d{12}\/[^/?]/, 'sqs'],
  [/^\/SimpleNotificationService-[^/]*\.pem$/, 'sns'],
];

const byName = new Map(SERVICE_MODELS.map(model => [model.name, model]));

/** Services of the query protocol by their API version, which their clients always send. */
const byVersion = new Map(
  SERVICE_MODELS.flatMap(model => {
    const version = /\/doc\/(\d{4}-\d\d-\d\d)\/$/.exec(model.xmlNamespace)?.[1];
    return version === undefined ? [] : [[version, model] as const];
  }),
);

/**
 * Finds the destination of a request to the one port that serves all of AWS. In order: the service in its signature,
 * its host, its `X-Amz-Target`, its path, its parameters.
 *
 * @param apiHost returns the host of a deployed API @default - all are in the default Region
 * @returns undefined when nothing in the request names a service
 */
export function destinationOf(
  request: Addressed,
  place: Pick<Place, 'region' | 'urlSuffix'>,
  apiHost = (apiId: string) => `${apiId}.execute-api.${place.region}.${place.urlSuffix}`,
): Destination | undefined {
  const { path, headers } = request;
  const { service, region } = credentialScopeOf(request) ?? {};
  const model = service === undefined ? undefined : byName.get(service);
  if (model) return { host: hostOf(model, region ?? place.region, place.urlSuffix), path };

  const [, apiId, apiPath = '/'] = path.startsWith('/_aws/') ? (API.exec(path) ?? []) : [];
  if (apiId !== undefined) return { host: apiHost(apiId), path: apiPath };

  const named = awsHostIn(headers['host'] ?? '', place);
  if (named !== undefined) return { host: named, path };
  if (service && region && service !== 'execute-api') return { host: `${service}.${region}.${place.urlSuffix}`, path };
  const guessed = modelOf(request);
  return guessed && { host: hostOf(guessed, place.region, place.urlSuffix), path };
}

function hostOf({ name, isGlobal }: ServiceModel, region: string, urlSuffix: string): string {
  return isGlobal ? `${name}.${urlSuffix}` : `${name}.${region}.${urlSuffix}`;
}

/**
 * The AWS host in a `Host` header: `sqs.us-east-1.amazonaws.com:4566`, `sqs.localhost`, `<api>.execute-api.localhost`.
 */
export function awsHostIn(
  header: string,
  { region, urlSuffix }: Pick<Place, 'region' | 'urlSuffix'>,
): string | undefined {
  const host = header.toLowerCase().replace(/:\d+$/, '');
  if (awsHostName(host, urlSuffix)) return host;
  if (!host.endsWith('.localhost')) return undefined;
  const labels = host.slice(0, -'.localhost'.length);
  const hasRegion = awsHostName(`${labels}.${urlSuffix}`, urlSuffix)?.region !== undefined;
  const model = byName.get(labels);
  if (model) return hostOf(model, region, urlSuffix);
  return hasRegion ? `${labels}.${urlSuffix}` : `${labels}.${region}.${urlSuffix}`;
}

/** The service of an unsigned request, which most services will refuse. */
function modelOf({ path, headers, body }: Addressed): ServiceModel | undefined {
  const prefix = headers['x-amz-target']?.split('.')[0] ?? /^\/service\/([^/]+)\/operation\//.exec(path)?.[1];
  if (prefix !== undefined) return SERVICE_MODELS.find(model => model.hasTarget(prefix));
  const byPath = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (byPath !== undefined) return byName.get(byPath);
  const question = path.indexOf('?');
  return (
    modelAskedFor(question === -1 ? '' : path.slice(question + 1)) ??
    (headers['content-type']?.startsWith(FORM)
      ? modelAskedFor(Buffer.from(body.subarray(0, FORM_START_BYTES)).toString('latin1'))
      : undefined)
  );
}

function modelAskedFor(form: string): ServiceModel | undefined {
  const parameters = new URLSearchParams(form);
  const version = parameters.get('Version');
  const action = parameters.get('Action') ?? '';
  return (
    (version === null ? undefined : byVersion.get(version)) ??
    SERVICE_MODELS.find(({ unsignedActions }) => unsignedActions.includes(action))
  );
}
