import type { Place } from '../kernel/place';
import type { Host, OutgoingRequest, Reply } from '../network/network';
import { response } from '../network/outside-endpoint';

/** Receives the body of one PUT request. */
type BodyHandler = (body: Uint8Array) => void;

const XML = { 'content-type': 'application/xml' };

/** How long S3 accepts a response URL. */
const VALID_SECONDS = 7200;

/**
 * The S3 bucket to which custom resources send their answers, at presigned URLs. It stores nothing: it passes on the
 * first answer at each URL, and accepts but ignores later ones.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes-create.html
 */
export class ResponseBucket {
  private readonly takers = new Map<string, BodyHandler | 'done'>();

  constructor(private readonly place: Place) {}

  /** Host names of buckets in us-east-1 have no Region. */
  get hostName(): string {
    const { region, urlSuffix } = this.place;
    const where = region === 'us-east-1' ? 's3' : `s3.${region}`;
    return `cloudformation-custom-resource-response-${region.replaceAll('-', '')}.${where}.${urlSuffix}`;
  }

  /**
   * Creates a URL for an answer.
   *
   * @param key the object key: stack, logical id and request id
   * @param signature 64 random hexadecimal digits
   */
  urlFor(key: string, signature: string, isoDateTime: string, take: BodyHandler): string {
    const date = isoDateTime.slice(0, 8);
    const credential = `ASIACLOUDFORMATION00/${date}/${this.place.region}/s3/aws4_request`;
    const query = new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': isoDateTime,
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Expires': String(VALID_SECONDS),
      'X-Amz-Credential': credential,
      'X-Amz-Signature': signature,
    });
    const path = `/${encodeURIComponent(key)}?${query}`;
    this.takers.set(path, take);
    return `https://${this.hostName}${path}`;
  }

  readonly answer: Host = ({ method, path, body }: OutgoingRequest): Reply => {
    if (method !== 'PUT')
      return response(405, errorXml('MethodNotAllowed', 'The specified method is not allowed'), XML);
    const take = this.takers.get(path);
    if (!take) return response(403, errorXml('SignatureDoesNotMatch', 'The signature does not match'), XML);
    if (take !== 'done') {
      this.takers.set(path, 'done');
      take(body);
    }
    return response(200);
  };
}

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}.</Message></Error>`;
}
