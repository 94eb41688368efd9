import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { AutoScalingGroup, UpdatePolicy } from 'aws-cdk-lib/aws-autoscaling';
import {
  AmazonLinuxCpuType,
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  InstanceClass,
  InstanceSize,
  InstanceType,
  InterfaceVpcEndpointAwsService,
  LaunchTemplate,
  MachineImage,
  SecurityGroup,
  SubnetType,
  UserData,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { bundleFile } from './bundles';
import { acknowledge } from './checks';

/** Properties of a `FulfilmentSystem`. */
interface FulfilmentSystemProps {
  /** The queue that it reads. */
  readonly queue: IQueue;

  /** What it may do with the queue and its key. */
  readonly permissions: readonly PolicyStatement[];

  /**
   * How long rejected connections are stored.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to that log when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/**
 * The in-house fulfilment system: one instance that reads the queue, in a VPC without a way to the internet. If the instance
 * ends, the Auto Scaling group starts another. The queue keeps the orders meanwhile, and during an update.
 */
export class FulfilmentSystem extends Construct {
  /** The role of the instance. */
  public readonly role: Role;

  /** @throws if the bundle of the process has not been built */
  constructor(scope: Construct, id: string, props: FulfilmentSystemProps) {
    super(scope, id);
    const code = new Asset(this, 'Code', { path: bundleFile('process', 'rental-fulfilment') });
    this.role = this.addRole(props.permissions, code);
    const vpc = this.addVpc(props);
    const securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'The instances of the fulfilment system.',
    });
    const queues = vpc.addInterfaceEndpoint('Sqs', {
      service: InterfaceVpcEndpointAwsService.SQS,
      // AWS bills it for each Availability Zone. Without this one, orders wait in the queue.
      subnets: { subnets: vpc.isolatedSubnets.slice(0, 1) },
      open: false,
    });
    queues.connections.allowDefaultPortFrom(securityGroup, 'The fulfilment system');
    const launchTemplate = new LaunchTemplate(this, 'LaunchTemplate', {
      instanceType: InstanceType.of(InstanceClass.T4G, InstanceSize.MICRO),
      machineImage: MachineImage.latestAmazonLinux2023({ cpuType: AmazonLinuxCpuType.ARM_64 }),
      requireImdsv2: true,
      role: this.role,
      securityGroup,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(8, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
        },
      ],
      userData: startProcess(code, props.queue),
    });
    const group = new AutoScalingGroup(this, 'Instances', {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      launchTemplate,
      minCapacity: 1,
      maxCapacity: 1,
      updatePolicy: UpdatePolicy.rollingUpdate(),
    });
    // The first instance needs its permissions and the endpoints when it starts.
    group.node.addDependency(this.role, vpc);
    acknowledge(
      group,
      'AwsSolutions-AS3',
      'An alarm of the queue reports orders that wait, whatever the instances do.',
    );
  }

  private addVpc({ logRetention, removalPolicy }: FulfilmentSystemProps): Vpc {
    const logGroup = new LogGroup(this, 'RejectedConnections', {
      retention: logRetention ?? RetentionDays.THREE_MONTHS,
      removalPolicy,
    });
    return new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [{ name: 'Private', subnetType: SubnetType.PRIVATE_ISOLATED }],
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      flowLogs: {
        Rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(logGroup),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
      // Nothing uses the default security group, and closing it would take a custom resource.
      restrictDefaultSecurityGroup: false,
    });
  }

  private addRole(permissions: readonly PolicyStatement[], code: Asset): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the fulfilment system receive and delete rental orders.',
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
    });
    const resources = [code.bucket.arnForObjects(code.s3ObjectKey)];
    for (const statement of [...permissions, new PolicyStatement({ actions: ['s3:GetObject'], resources })]) {
      role.addToPolicy(statement);
    }
    return role;
  }
}

/**
 * Installs Node.js from the Region's repository, which is in S3, and starts the process. What the process prints is on the
 * instance's console. An instance that cannot start the process shuts down, and the group starts another.
 */
function startProcess(code: Asset, { queueUrl }: IQueue): UserData {
  const userData = UserData.forLinux();
  userData.addCommands('set -e', "trap 'shutdown -h now' ERR", 'dnf install -y nodejs24');
  const localFile = userData.addS3DownloadCommand({
    bucket: code.bucket,
    bucketKey: code.s3ObjectKey,
    localFile: '/opt/fulfilment.js',
  });
  userData.addCommands(
    "cat > /etc/systemd/system/fulfilment.service <<'UNIT'",
    '[Service]',
    `Environment=AWS_REGION=${Aws.REGION} QUEUE_URL=${queueUrl}`,
    `ExecStart=/usr/bin/node-24 ${localFile}`,
    'DynamicUser=yes',
    'Restart=always',
    'RestartSec=10',
    'TimeoutStopSec=300',
    'StandardOutput=journal+console',
    '[Install]',
    'WantedBy=multi-user.target',
    'UNIT',
    'systemctl enable --now fulfilment',
  );
  return userData;
}

/** Properties of a `BillingStub`. */
interface BillingStubProps {
  /** The name of the API. */
  readonly apiName: string;
}

/**
 * Stands for the external billing system. Of another company's system only the HTTPS address is known, so the stub is an
 * address that answers 201 to each invoice and bills nothing. It needs no server, and costs nothing while idle.
 */
export class BillingStub extends Construct {
  /** The URL that takes invoices. */
  public readonly url: string;

  constructor(scope: Construct, id: string, { apiName }: BillingStubProps) {
    super(scope, id);
    const api = new RestApi(this, 'RestApi', {
      restApiName: apiName,
      description: 'Stands for the external billing system: it answers 201 to each invoice.',
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: {
        loggingLevel: MethodLoggingLevel.OFF,
        throttlingRateLimit: 100,
        throttlingBurstLimit: 200,
      },
    });
    const accept = new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: { 'application/json': '{"statusCode":201}' },
      integrationResponses: [{ statusCode: '201' }],
    });
    api.root.addResource('invoices').addMethod('POST', accept, {
      authorizationType: AuthorizationType.NONE,
      methodResponses: [{ statusCode: '201' }],
    });
    this.url = api.urlForPath('/invoices');
    for (const rule of ['APIG1', 'APIG2', 'APIG3', 'APIG4', 'APIG6', 'COG4']) {
      acknowledge(api, `AwsSolutions-${rule}`, 'It stands for a system of another company, and stores nothing.');
    }
  }
}
