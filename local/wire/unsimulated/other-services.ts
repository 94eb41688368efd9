import { nearNames } from '../../../policy/near-names';
import { AwsError } from '../../kernel/aws-error';
import { AWS_SERVICES } from '../../kernel/aws-service';
import { installedFile } from '../../kernel/installed-package';
import { InvalidInput } from '../../kernel/member-reader';
import type { Host, Reply } from '../../network/network';
import { isObserved } from '../observer';
import { refusalTo } from '../refusal';
import { packageOf, serviceNames } from './client-model';
import { OtherService, type OtherServiceDependencies } from './other-service';

const NAME = /^[a-z0-9][a-z0-9.-]*$/;

/** Simulated services, of which a scenario may answer operations in place of the simulation, or forward all calls. */
const REPLACEABLE: ReadonlySet<string> = new Set(['dynamodb', 'firehose']);

/** The services that a scenario answers, or forwards to emulators, by their names in hosts. */
export class OtherServices {
  private readonly byHost = new Map<string, OtherService>();

  constructor(private readonly dependencies: OtherServiceDependencies) {}

  /** Every service that a scenario has named, in that order. */
  get all(): ReadonlyMap<string, OtherService> {
    return this.byHost;
  }

  find(host: string): OtherService | undefined {
    return this.byHost.get(serviceNames(host).host);
  }

  /** The endpoint of a simulated service, whose calls reach the simulation unless a scenario answers or forwards them. */
  inFrontOf(service: string, region: string, simulated: Host): Host {
    if (!REPLACEABLE.has(service)) return simulated;
    return request => {
      if (!this.byHost.has(service) || isObserved(request.headers)) return simulated(request);
      const refused = (error: unknown): Reply => {
        if (!(error instanceof AwsError)) throw error;
        return refusalTo(request, error, this.dependencies.random.uuid(), service);
      };
      try {
        const reply = this.find(service)?.replyTo({ request, region }) ?? simulated(request);
        return reply instanceof Promise ? reply.catch(refused) : reply;
      } catch (error) {
        return refused(error);
      }
    };
  }

  /** @param name of the SDK's client or in host names: `sfn` or `states` */
  service(name: unknown): OtherService {
    const property = 'the service';
    if (typeof name !== 'string' || !NAME.test(name.toLowerCase())) {
      const rule = 'must be a name such as dynamodb, as in @aws-sdk/client-dynamodb';
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const names = serviceNames(name.toLowerCase());
    if (isSimulated(names.host) && !REPLACEABLE.has(names.host)) {
      const simulated = AWS_SERVICES.filter(service => !REPLACEABLE.has(service));
      const rule = `must be a service that is not simulated. These are: ${simulated.join(', ')}. Use faults to make them fail`;
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const known = this.byHost.get(names.host);
    if (known) return known;
    if (![names.host, names.client].some(isKnownService) && installedFile(packageOf(names)) === undefined) {
      const similar = nearNames(names.host, [...KNOWN]);
      const hint = similar.length > 0 ? `. Similar: ${similar.join(', ')}` : '';
      const rule = `must be a service of AWS, as in @aws-sdk/client-dynamodb${hint}. For a newer one, install its SDK client`;
      throw new InvalidInput([{ property, rule, value: name }]);
    }
    const service = new OtherService(names, this.dependencies);
    this.byHost.set(names.host, service);
    return service;
  }
}

/** @param name in host names, or of the SDK's client */
export const isSimulated = (name: string): boolean => SIMULATED.has(name);

/** Both names of each service. */
const SIMULATED: ReadonlySet<string> = new Set([
  ...AWS_SERVICES,
  'cloudwatch',
  'cloudwatch-logs',
  'eventbridge',
  'secrets-manager',
]);

/**
 * The names of AWS's services: in host names, in signatures and of the SDK's clients. From the service models of botocore 1.44.5
 * (Apache-2.0). A service that is newer is known if the project has its SDK client.
 */
const NAMES = `
a2i-runtime.sagemaker access-analyzer accessanalyzer account account-access account-access-runtime acm acm-pca
aco-automation admin.wickr agent-registry agent-registry-control agreement-marketplace aidevops aiops airflow
airflow-serverless amp amplify amplifybackend amplifyuibuilder aoss api-gateway api.detective api.ecr api.ecr-public
api.iotdeviceadvisor api.iotmanagedintegrations api.iotwireless api.mediatailor api.pricing api.sagemaker
api.tunneling.iot apigateway apigatewaymanagementapi apigatewayv2 app-integrations app-mesh appconfig appconfigdata
appfabric appflow appintegrations application-auto-scaling application-autoscaling application-cost-profiler
application-discovery-service application-insights application-signals applicationcostprofiler applicationinsights
appmesh apprunner appstream appstream2 appsync aps arc-region-switch arc-zonal-shift artifact athena auditmanager
auto-scaling auto-scaling-plans autoscaling autoscaling-plans aws-marketplace awsssoportal b2bi backup backup-gateway
backup-search backupsearch batch bcm-dashboards bcm-data-exports bcm-pricing-calculator bcm-recommended-actions
bedrock bedrock-agent bedrock-agent-runtime bedrock-agentcore bedrock-agentcore-control bedrock-data-automation
bedrock-data-automation-runtime bedrock-runtime billing billingconductor braket budgets cases cassandra
cassandra-streams catalog.marketplace ce chatbot chime chime-sdk-identity chime-sdk-media-pipelines chime-sdk-meetings
chime-sdk-messaging chime-sdk-voice cleanrooms cleanrooms-ml cleanroomsml cloud9 cloudcontrol cloudcontrolapi
clouddirectory cloudformation cloudfront cloudfront-keyvaluestore cloudhsm cloudhsm-v2 cloudhsmv2 cloudsearch
cloudsearch-domain cloudsearchdomain cloudtrail cloudtrail-data cloudwatch cloudwatch-logs cloudwatch-omni
cloudwatchomni codeartifact codebuild codecatalyst codecommit codeconnections codedeploy codeguru-profiler
codeguru-reviewer codeguru-security codeguruprofiler codepipeline codestar-connections codestar-notifications
cognito-identity cognito-identity-provider cognito-idp cognito-sync comprehend comprehendmedical compute-optimizer
compute-optimizer-automation config config-service connect connect-campaigns connect-contact-lens connectcampaigns
connectcampaignsv2 connectcases connecthealth connectparticipant connectscheduling contact-lens continuum
controlcatalog controlplane.payment-cryptography controltower cost-and-usage-report-service cost-explorer
cost-optimization-hub cur customer-profiles data-ats.iot data-pipeline data-signer data.jobs.iot data.mediastore
data.qapps database-migration-service databrew dataexchange datapipeline dataplane.payment-cryptography datasync
datazone dax deadline deployment-marketplace detective device-farm devicefarm devops-agent devops-guru direct-connect
directconnect directory-service directory-service-data discovery discovery-marketplace dlm dms docdb docdb-elastic drs
ds ds-data dsql dynamodb dynamodb-streams ebs ec2 ec2-instance-connect ecr ecr-public ecs edge.sagemaker efs eks
eks-auth elastic-beanstalk elastic-load-balancing elastic-load-balancing-v2 elasticache elasticbeanstalk
elasticfilesystem elasticloadbalancing elasticmapreduce elasticsearch-service elemental-inference elementalinference
email emr emr-containers emr-serverless end-user-messaging endusermessaging entitlement.marketplace entityresolution
es eventbridge eventbridgev2 events eventsv2 evs execute-api featurestore-runtime.sagemaker firehose fis fms forecast
forecastquery frauddetector freetier fsx gamelift gameliftstreams geo geo-maps geo-places geo-routes glacier
global-accelerator globalaccelerator glue grafana greengrass greengrassv2 groundstation guardduty health health-agent
healthlake iam iam-toolbox identity-chime identitystore imagebuilder importexport inferencerouter-runtime.sagemaker
ingest.timestream inspector inspector-scan inspector2 interconnect internetmonitor invoicing iot iot-data-plane
iot-jobs-data iot-jobs-data-plane iot-managed-integrations iot-wireless iotdata iotdeviceadvisor iotfleetwise
iotmanagedintegrations iotsecuredtunneling iotsecuretunneling iotsitewise iotthingsgraph iottwinmaker iotwireless ivs
ivs-realtime ivschat ivsrealtime job-runtime.sagemaker kafka kafkaconnect kendra kendra-ranking keyspaces
keyspacesstreams kinesis kinesis-analytics kinesis-analytics-v2 kinesis-video kinesis-video-archived-media
kinesis-video-media kinesis-video-signaling kinesis-video-webrtc-storage kinesisanalytics kinesisvideo kms
lakeformation lambda lambda-core lambda-microvms lambda-web launch-wizard launchwizard lex lex-model-building-service
lex-models-v2 lex-runtime-service lex-runtime-v2 license-manager license-manager-linux-subscriptions
license-manager-user-subscriptions lightsail location logs lookoutequipment m2 machine-learning machinelearning macie2
mail-manager mailmanager managedblockchain managedblockchain-query marketplace-agreement marketplace-catalog
marketplace-commerce-analytics marketplace-deployment marketplace-discovery marketplace-entitlement-service
marketplace-metering marketplace-reporting marketplacecommerceanalytics media-pipelines-chime mediaconnect
mediaconvert medialive mediapackage mediapackage-vod mediapackagev2 mediastore mediastore-data mediatailor
medical-imaging meetings-chime memory-db memorydb messaging-chime metering.marketplace metrics.sagemaker mgh mgn
migration-hub migration-hub-refactor-spaces migrationhub-config migrationhub-orchestrator migrationhub-strategy
migrationhuborchestrator migrationhubstrategy mobiletargeting models-v2-lex models.lex monitoring mpa mq mturk
mturk-requester mwaa mwaa-serverless neptune neptune-db neptune-graph neptunedata network-firewall
network-security-manager networkflowmonitor networkmanager networkmonitor notifications notifications-contacts
notificationscontacts nova-act oam observabilityadmin odb oidc omics opensearch opensearchmemory opensearchserverless
organizations osis osm outposts participant.connect partnercentral partnercentral-account partnercentral-benefits
partnercentral-channel partnercentral-prm partnercentral-revenue-measurement partnercentral-selling
payment-cryptography payment-cryptography-data pca-connector-ad pca-connector-scep pcs personalize personalize-events
personalize-runtime pi pinpoint pinpoint-email pinpoint-sms-voice pinpoint-sms-voice-v2 pipes polly portal.sso pricing
pricing-plan-manager pricingplanmanager profile proton qapps qbusiness qconnect query.timestream quicksight ram rbin
rds rds-data redshift redshift-data redshift-serverless refactor-spaces rekognition reporting-marketplace repostspace
resiliencehub resiliencehubv2 resource-explorer-2 resource-groups resource-groups-tagging-api rolesanywhere route-53
route-53-domains route53 route53-recovery-cluster route53-recovery-control-config route53-recovery-readiness
route53domains route53globalresolver route53profiles route53resolver rtbfabric rum runtime-v2-lex runtime.lex
runtime.sagemaker s3 s3-control s3-outposts s3files s3outposts s3tables s3vectors sagemaker sagemaker-a2i-runtime
sagemaker-edge sagemaker-featurestore-runtime sagemaker-geospatial sagemaker-inference-router-runtime
sagemaker-metrics sagemaker-runtime sagemakerjobruntime sagemakertrainingsessionruntime savingsplans scheduler schemas
scn sdb secrets-manager secretsmanager security-ir securityagent securityhub securitylake
serverlessapplicationrepository serverlessrepo service-catalog service-catalog-appregistry service-quotas
servicecatalog servicecatalog-appregistry servicediscovery servicequotas ses sesv2 sfn shield signer signer-data
signin simpledb simpledbv2 sms-voice sms-voice.pinpoint snow-device-management snowball sns social-messaging
socialmessaging sqs ssm ssm-contacts ssm-guiconnect ssm-incidents ssm-quicksetup ssm-sap sso sso-admin sso-oauth
sso-oidc states storage-gateway storagegateway streams.dynamodb sts supplychain support support-app supportapp
supportauthz sustainability swf synthetics tagging tax taxsettings textract thinclient timestream timestream-influxdb
timestream-query timestream-write training-session-runtime.sagemaker transcribe transfer translate trustedadvisor uxc
verifiedpermissions voice-chime voice-id voiceid vpc-lattice waf waf-regional wafv2 wellarchitected wickr wisdom
workdocs workmail workmailmessageflow workspaces workspaces-instances workspaces-thin-client workspaces-web xray`;

const KNOWN: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));

const isKnownService = (name: string): boolean => KNOWN.has(name);
