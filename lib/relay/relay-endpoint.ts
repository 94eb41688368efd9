import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { SECRET } from '../shared/cdk-shapes';
import { checkArguments, optional, struct, TEXT } from '../shared/shapes';

/** Which part of a secret is the URL of an endpoint. */
export interface SecretEndpointOptions {
  /**
   * The member of a JSON object that is the URL.
   *
   * @default - the whole secret is the URL
   */
  readonly field?: string;
}

const SECRET_OPTIONS = struct<SecretEndpointOptions>({ field: optional(TEXT) });

/** The endpoint to which an `HttpRelay` posts. */
export class RelayEndpoint {
  /**
   * An endpoint whose URL is not secret. It is visible in the template and in the settings of the function.
   *
   * @param url absolute and https, with a public host or one within `allowedPrivateRanges`; http only for the latter
   */
  public static fromUrl(url: string): RelayEndpoint {
    checkArguments('RelayEndpoint.fromUrl', { url }, { url: TEXT });
    return new RelayEndpoint(url);
  }

  /**
   * An endpoint whose URL is secret, for example because of a token in its path. The function reads it at run time, so
   * it can change without a deployment. Logs show only the host.
   */
  public static fromSecret(secret: ISecret, options: SecretEndpointOptions = {}): RelayEndpoint {
    checkArguments('RelayEndpoint.fromSecret', { secret, options }, { secret: SECRET, options: SECRET_OPTIONS });
    return new RelayEndpoint(undefined, secret, options.field);
  }

  private constructor(
    /** The URL; undefined if it is secret. */
    public readonly url?: string,
    /** The secret that contains the URL; undefined if the URL is not secret. */
    public readonly secret?: ISecret,
    /** The member of the secret that is the URL; undefined if the whole secret is the URL, or there is no secret. */
    public readonly field?: string,
  ) {}
}

/**
 * The network of an `HttpRelay`'s function, from which it posts. The breaker's function posts nothing and is in no VPC.
 */
export interface RelayNetworkOptions {
  /**
   * The VPC of the function, to post to private addresses or from an address of your own. From there it must reach SQS,
   * and Secrets Manager if it reads a secret, through interface endpoints or a NAT gateway. Its role lets Lambda manage
   * network interfaces on all resources, because Lambda requires that; the function's code is denied it.
   *
   * @default - no VPC of yours: the function reaches public addresses, from addresses of AWS
   * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
   */
  readonly vpc?: IVpc;

  /**
   * The subnets of `vpc` in which the function has its network interfaces. A public subnet is an error, because the
   * function would have no route to the internet.
   *
   * @default - private subnets, as the VPC selects them
   */
  readonly vpcSubnets?: SubnetSelection;

  /**
   * The security groups of the function's network interfaces. They must allow outbound traffic to the endpoint and to
   * AWS.
   *
   * @default - a new one, available as `relay.handler.connections`, if there is a `vpc`
   */
  readonly securityGroups?: ISecurityGroup[];

  /**
   * Whether the new security group allows all outbound IPv4 traffic. If not, allow destinations with
   * `relay.handler.connections`. Not together with `securityGroups`, which have rules of their own.
   *
   * @default true
   */
  readonly allowAllOutbound?: boolean;
}
