package main

import (
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"inlay/fault"
)

// keyPair is a certificate with its key in two files. When they change, the new
// pair is taken up; one that cannot be used leaves the old one in force.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	pair  *tls.Certificate
	stamp stamp
	asked time.Time
}

// stamp tells one state of the files from another.
type stamp struct {
	cert, key         time.Time
	certSize, keySize int64
}

// renewal is how long a changed file may stay unseen.
const renewal = time.Second

// openKeyPair reads the pair for the first time.
func openKeyPair(certFile, keyFile string, log *slog.Logger) (*keyPair, error) {
	k := &keyPair{certFile: certFile, keyFile: keyFile, log: log, stamp: stampOf(certFile, keyFile), asked: time.Now()}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, badPair(err)
	}
	k.pair = &pair
	return k, nil
}

func badPair(err error) error {
	return &fault.Error{
		Code: fault.Usage, Subject: "--tls-cert",
		Reason: "certificate and key cannot be used: " + err.Error(),
		Next:   "give the PEM files of a chain, the server's own certificate first, and of its key",
		Err:    err,
	}
}

func stampOf(certFile, keyFile string) (s stamp) {
	if info, err := os.Stat(certFile); err == nil {
		s.cert, s.certSize = info.ModTime(), info.Size()
	}
	if info, err := os.Stat(keyFile); err == nil {
		s.key, s.keySize = info.ModTime(), info.Size()
	}
	return s
}

// certificate is for [tls.Config.GetCertificate].
func (k *keyPair) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.asked) < renewal {
		return k.pair, nil
	}
	k.asked = time.Now()
	now := stampOf(k.certFile, k.keyFile)
	if now == k.stamp {
		return k.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil { // perhaps only one of the two is written yet: looked at again
		k.log.Warn("the new certificate cannot be used; the old one stays in force", "reason", err.Error())
		return k.pair, nil
	}
	k.pair, k.stamp = &pair, now
	k.log.Info("a new certificate is in force", "until", pair.Leaf.NotAfter)
	return k.pair, nil
}

// secured is l with TLS in front.
func (k *keyPair) secured(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{GetCertificate: k.certificate, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
}
