import { openApiHeaders } from './openapi-headers';
import { beforeRouting, failures, notModified, sharedFailures } from './openapi-responses';

const labels = 'http_request_method="GET",http_route="/v1/pets",http_response_status_code="200"';

const example = `# HELP http_server_request_duration_seconds Duration of HTTP server requests.
# TYPE http_server_request_duration_seconds histogram
http_server_request_duration_seconds_bucket{le="0.005",${labels}} 1
http_server_request_duration_seconds_bucket{le="+Inf",${labels}} 1
http_server_request_duration_seconds_sum{${labels}} 0.001
http_server_request_duration_seconds_count{${labels}} 1
`;

/** The one operation beside `/v1` that needs a key, and the one whose success is no JSON. */
export const openApiMetrics = {
  operationId: 'getMetrics',
  summary: 'What this process has counted and timed',
  description: 'In the Prometheus text format, with the names of OpenTelemetry where it has some.',
  tags: ['service'],
  responses: {
    200: {
      description: 'The metrics of this process.',
      headers: { ...openApiHeaders.requestId, ...openApiHeaders.validator },
      content: { 'text/plain; version=0.0.4': { schema: { type: 'string' }, example } },
    },
    ...notModified,
    ...sharedFailures(['Unauthorized', ...beforeRouting]),
    ...failures(['Defect', 'Unavailable']),
  },
} as const;
