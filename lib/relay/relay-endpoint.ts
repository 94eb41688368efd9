import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/** Where in a secret the URL of an endpoint stands. */
export interface SecretEndpointOptions {
  /**
   * The member of a JSON object that is the URL.
   *
   * @default - the whole secret is the URL
   */
  readonly field?: string;
}

/** Where an `HttpRelay` posts to. */
export class RelayEndpoint {
  /**
   * An endpoint whose URL anybody may see: it stands in the template and in the settings of the function.
   *
   * @param url absolute and https, with a public host or one within `allowedPrivateRanges`; http only for the latter
   */
  public static fromUrl(url: string): RelayEndpoint {
    return new RelayEndpoint(url);
  }

  /**
   * An endpoint whose URL is a secret, such as one with a token in its path. The function reads it when it runs, so that it
   * can change without a deployment; of where a message was sent, logs show the host only.
   */
  public static fromSecret(secret: ISecret, options: SecretEndpointOptions = {}): RelayEndpoint {
    return new RelayEndpoint(undefined, secret, options.field);
  }

  private constructor(
    /** The URL; undefined where it is a secret. */
    public readonly url?: string,
    /** The secret that holds the URL; undefined where the URL is none. */
    public readonly secret?: ISecret,
    /** The member of the secret that is the URL; undefined where the whole secret is, and without one. */
    public readonly field?: string,
  ) {}
}

/** Where the function of an `HttpRelay` runs, and so from where it posts. The breaker's function, which posts nothing, is in no VPC. */
export interface RelayNetworkOptions {
  /**
   * The VPC in which the function runs, to post to private addresses, or from an address of your own. From there it must
   * reach SQS, and Secrets Manager where it reads a secret, by interface endpoints or a NAT gateway. Its role may then have
   * Lambda manage network interfaces, on all resources, for Lambda asks for no less; its code may not.
   *
   * @default - no VPC of yours: the function reaches what is public, from addresses of AWS
   * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
   */
  readonly vpc?: IVpc;

  /**
   * In which subnets of `vpc` the function has its network interfaces. In a public one it would have no way to the internet:
   * that is an error.
   *
   * @default - private subnets, as the VPC selects them
   */
  readonly vpcSubnets?: SubnetSelection;

  /**
   * The security groups of the function's network interfaces. They must let it out to the endpoint and to AWS.
   *
   * @default - a new one, which is `relay.handler.connections`; only where there is `vpc`
   */
  readonly securityGroups?: ISecurityGroup[];

  /**
   * Whether the new security group lets everything out over IPv4. If not, say what may be reached by
   * `relay.handler.connections`. Not together with `securityGroups`, which have rules of their own.
   *
   * @default true
   */
  readonly allowAllOutbound?: boolean;
}
