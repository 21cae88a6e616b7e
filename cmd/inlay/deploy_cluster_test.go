package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"inlay/options"
)

// manifest is what is checked of a Kubernetes object.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	StringData map[string]string `yaml:"stringData"`
	Resources  []string
	Spec       struct {
		Replicas    int
		ServiceName string `yaml:"serviceName"`
		Selector    any
		Template    struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Containers     []container
				InitContainers []container `yaml:"initContainers"`
				Volumes        []struct{ Name string }
			}
		}
		VolumeClaimTemplates []manifest `yaml:"volumeClaimTemplates"`
	}
}

type container struct {
	Name  string
	Image string
	Ports []struct{ Name string }
	Env   []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	ReadinessProbe any `yaml:"readinessProbe"`
	LivenessProbe  any `yaml:"livenessProbe"`
	Resources      struct {
		Limits map[string]string
	}
	VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
}

// manifests are the documents of deploy/kubernetes, by kind and name.
func manifests(t *testing.T) map[string]manifest {
	t.Helper()
	names, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	all := map[string]manifest{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
			var m manifest
			err := d.Decode(&m)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			require.NotEmpty(t, m.APIVersion, name)
			require.NotContains(t, all, m.Kind+" "+m.Metadata.Name, name)
			all[m.Kind+" "+m.Metadata.Name] = m
		}
	}
	return all
}

// TestKubernetes: the manifests can be read, say what the command knows, and
// refer to what is there; what runs has limits, probes and a disruption budget.
// Kubernetes itself has not seen them.
func TestKubernetes(t *testing.T) {
	all := manifests(t)
	for _, file := range all["Kustomization "].Resources {
		_, err := os.Stat(filepath.Join("../../deploy/kubernetes", strings.Replace(file, "secrets.yaml", "secrets.example.yaml", 1)))
		require.NoError(t, err)
	}
	var known []string
	for _, row := range options.All() {
		known = append(known, options.EnvName(row.Flag))
	}
	secret := all["Secret inlay"].StringData
	used := map[string]bool{}
	running := 0
	for name, m := range all {
		if m.Kind != "Deployment" && m.Kind != "StatefulSet" {
			continue
		}
		running++
		app := m.Spec.Template.Metadata.Labels["app"]
		require.Equal(t, map[string]any{"matchLabels": map[string]any{"app": app}}, m.Spec.Selector, name)
		require.Equal(t, m.Spec.Selector, all["PodDisruptionBudget "+m.Metadata.Name].Spec.Selector, name)
		if m.Kind == "StatefulSet" {
			require.Equal(t, map[string]any{"app": app}, all["Service "+m.Spec.ServiceName].Spec.Selector, name)
		}
		volumes := []string{}
		for _, v := range m.Spec.Template.Spec.Volumes {
			volumes = append(volumes, v.Name)
		}
		for _, v := range m.Spec.VolumeClaimTemplates {
			volumes = append(volumes, v.Metadata.Name)
		}
		for _, c := range m.Spec.Template.Spec.Containers {
			require.NotNil(t, c.ReadinessProbe, name)
			require.NotNil(t, c.LivenessProbe, name)
		}
		for _, c := range slices.Concat(m.Spec.Template.Spec.Containers, m.Spec.Template.Spec.InitContainers) {
			require.Contains(t, c.Image, ":", name)
			require.NotEmpty(t, c.Resources.Limits["cpu"], name)
			require.NotEmpty(t, c.Resources.Limits["memory"], name)
			for _, v := range c.VolumeMounts {
				require.Contains(t, volumes, v.Name, name)
			}
			for _, e := range c.Env {
				if strings.HasPrefix(e.Name, "INLAY_") {
					require.Contains(t, known, e.Name)
				}
				if e.ValueFrom.SecretKeyRef.Key != "" {
					require.Contains(t, secret, e.ValueFrom.SecretKeyRef.Key, name)
					used[e.ValueFrom.SecretKeyRef.Key] = true
				}
			}
		}
	}
	require.Equal(t, 4, running)
	require.Len(t, used, len(secret), "every secret is used")
	require.Equal(t, 3, all["Deployment inlay"].Spec.Replicas)
	require.Equal(t, 3, all["StatefulSet weaviate"].Spec.Replicas)
}

// TestClusterCompose: the Compose file refers to what it has.
func TestClusterCompose(t *testing.T) {
	data, err := os.ReadFile("../../deploy/cluster.compose.yaml")
	require.NoError(t, err)
	var compose struct {
		Services map[string]struct {
			Environment map[string]string
			Volumes     []string
			DependsOn   any `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	require.NoError(t, yaml.Unmarshal(data, &compose))
	index := compose.Services["inlay"].Environment["INLAY_INDEX"]
	for host := range strings.SplitSeq(strings.TrimPrefix(index, "weaviate://"), ",") {
		name, _, _ := strings.Cut(host, ":")
		require.Contains(t, compose.Services, name)
		require.Equal(t, name, compose.Services[name].Environment["CLUSTER_HOSTNAME"])
		require.Equal(t, "3", compose.Services[name].Environment["RAFT_BOOTSTRAP_EXPECT"])
	}
	for name, service := range compose.Services {
		for _, volume := range service.Volumes {
			if kept, _, _ := strings.Cut(volume, ":"); !strings.HasPrefix(kept, ".") {
				require.Contains(t, compose.Volumes, kept, name)
			}
		}
	}
}

// TestGrafana: the board asks for figures that the service has.
func TestGrafana(t *testing.T) {
	data, err := os.ReadFile("../../deploy/grafana.json")
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(data, &board))
	source, err := os.ReadFile("../../internal/httpapi/metrics.go")
	require.NoError(t, err)
	asked := 0
	for _, p := range board.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`inlay_[a-z_]+`).FindAllString(target.Expr, -1) {
				require.Contains(t, string(source), `"`+strings.TrimSuffix(name, "_bucket")+`"`, p.Title)
				asked++
			}
		}
	}
	require.Greater(t, asked, 10)
}
