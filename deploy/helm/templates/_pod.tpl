{{- define "baton.name" -}}{{ .root.Release.Name }}-{{ .role }}{{- end }}

{{- define "baton.labels" -}}
app.kubernetes.io/name: baton
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{/* Roles of this release, with what each does. */}}
{{- define "baton.roles" -}}
{{- if eq .Values.roles "server" }}server{{ else if eq .Values.roles "apart" }}orchestrator,worker{{ else }}{{ fail "roles is server or apart" }}{{ end }}
{{- end }}

{{- define "baton.security" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "baton.pod" -}}
{{- $values := .root.Values }}
{{- $accepts := ne .role "worker" }}
terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
automountServiceAccountToken: false
securityContext: {{- include "baton.security" . | nindent 2 }}
{{- with $values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.topologySpread }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "baton.labels" $ | nindent 8 }}
  {{- end }}
{{- end }}
containers:
  - name: {{ .role }}
    image: {{ printf "%s:%s" $values.image.repository $values.image.tag | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [{{ .role }}]
    envFrom:
      - secretRef: { name: {{ $values.secret.name }} }
    env:
      {{- if $accepts }}
      - { name: BATON_HOST, value: 0.0.0.0 }
      - { name: BATON_PORT, value: '4400' }
      {{- else }}
      - { name: BATON_URL, value: 'http://{{ .root.Release.Name }}:4400' }
      {{- end }}
      - { name: BATON_METRICS_HOST, value: 0.0.0.0 }
      - { name: BATON_METRICS_PORT, value: '4401' }
      - { name: SHUTDOWN_GRACE, value: '{{ sub $values.terminationGracePeriodSeconds 15 }}s' }
      {{- if $values.ingress.enabled }}
      - { name: BATON_PUBLIC_URL, value: 'https://{{ $values.ingress.host }}{{ trimSuffix "/" $values.ingress.path }}' }
      {{- end }}
      {{- range $name, $value := $values.settings }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    ports:
      {{- if $accepts }}
      - { name: http, containerPort: 4400 }
      {{- end }}
      - { name: metrics, containerPort: 4401 }
    startupProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 10
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: metrics }
      periodSeconds: 5
    lifecycle:
      # The Service forgets the pod first; then it closes its door, and calls under way have SHUTDOWN_GRACE to end.
      preStop:
        exec: { command: ['sleep', '5'] }
    resources: {{- toYaml (index $values .role).resources | nindent 6 }}
    securityContext: &container
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: servers, mountPath: /baton/mcp.json, subPath: mcp.json, readOnly: true }
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
  {{- if ne .role "orchestrator" }}
  {{- with $values.sidecars }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
volumes:
  - name: servers
    configMap: { name: {{ .root.Release.Name }}-servers }
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}
